// SPDX-License-Identifier: Apache-2.0
// The kernels of CUB's device-wide algorithms and what they are tuned by, for --kernel: the headers of the algorithms
// themselves, which launch them, are for the host.
#ifndef CUBINET_STD_CUB_KERNELS_H
#define CUBINET_STD_CUB_KERNELS_H

#if __cplusplus >= 201703L && __has_include(<cub/device/dispatch/kernels/radix_sort.cuh>) // CUDA 13 and later

// What the tuning is wrapped in for launches: NVRTC has nothing of it, and the kernels use nothing of it.
#define CUB_DEFINE_SUB_POLICY_GETTER(name)

#include <cub/cub.cuh>

CUB_NAMESPACE_BEGIN
namespace detail
{
template <typename PolicyT, typename = void> struct PolicyWrapper;
}
CUB_NAMESPACE_END

#include <cub/device/dispatch/kernels/for_each.cuh>
#include <cub/device/dispatch/kernels/merge_sort.cuh>
#include <cub/device/dispatch/kernels/radix_sort.cuh>
#include <cub/device/dispatch/kernels/reduce.cuh>
#include <cub/device/dispatch/kernels/scan.cuh>
#include <cub/device/dispatch/kernels/segmented_reduce.cuh>
#include <cub/device/dispatch/kernels/transform.cuh>
#include <cub/device/dispatch/kernels/unique_by_key.cuh>
#include <cub/device/dispatch/tuning/tuning_merge_sort.cuh>
#include <cub/device/dispatch/tuning/tuning_radix_sort.cuh>
#include <cub/device/dispatch/tuning/tuning_reduce.cuh>
#include <cub/device/dispatch/tuning/tuning_scan.cuh>
#include <cub/device/dispatch/tuning/tuning_transform.cuh>
#include <cub/device/dispatch/tuning/tuning_unique_by_key.cuh>

#endif

#endif
