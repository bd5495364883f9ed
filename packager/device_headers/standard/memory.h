// SPDX-License-Identifier: Apache-2.0
// An old name of <string.h>.
#include <string.h>
