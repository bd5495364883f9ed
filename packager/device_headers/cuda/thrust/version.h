// SPDX-License-Identifier: Apache-2.0
// Thrust's version, of which the header brings some of Thrust's settings: after those of <thrust/detail/config.h>.
#ifndef CUBINET_THRUST_VERSION_H
#define CUBINET_THRUST_VERSION_H

#include <thrust/detail/config.h>

#include_next <thrust/version.h>

#endif
