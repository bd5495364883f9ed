// SPDX-License-Identifier: Apache-2.0
// clock() and clock_t are NVRTC's own: clock() counts a multiprocessor's cycles; there is no time of day on a
// GPU.
#ifndef CUBINET_STD_TIME_H
#define CUBINET_STD_TIME_H

#include "stddef.h"

// What host code names.
#if __has_include("../host_only/cubinet_host/c_time.h")
#include "../host_only/cubinet_host/c_time.h"
#endif

#endif
