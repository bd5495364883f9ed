// SPDX-License-Identifier: Apache-2.0
#include "cubinet_host/endian.h"
