// SPDX-License-Identifier: Apache-2.0
// What all algorithms include. With CUDA's they bring thrust::seq; with the plain ones, <thrust/execution_policy.h> does.
#ifndef CUBINET_THRUST_SELECT_SYSTEM_H
#define CUBINET_THRUST_SELECT_SYSTEM_H

#include_next <thrust/system/detail/generic/select_system.h>

#include <thrust/detail/seq.h>

#endif
