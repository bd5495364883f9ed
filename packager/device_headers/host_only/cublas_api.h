// SPDX-License-Identifier: Apache-2.0
// What it includes; what it declares is for host code.
#include <cuComplex.h>
