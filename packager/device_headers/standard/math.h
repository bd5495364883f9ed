// SPDX-License-Identifier: Apache-2.0
// See <cmath>.
#ifndef CUBINET_STD_MATH_H
#define CUBINET_STD_MATH_H

#include <cmath>

#endif
