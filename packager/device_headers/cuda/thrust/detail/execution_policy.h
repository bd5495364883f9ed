// SPDX-License-Identifier: Apache-2.0
// With CUDA's algorithms every header of Thrust brings thrust::seq; with the plain ones, only <thrust/execution_policy.h>.
#ifndef CUBINET_THRUST_EXECUTION_POLICY_H
#define CUBINET_THRUST_EXECUTION_POLICY_H

#include_next <thrust/detail/execution_policy.h>

#include <thrust/detail/seq.h>

#endif
