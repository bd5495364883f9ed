// SPDX-License-Identifier: Apache-2.0
// Thrust's settings, which each of its headers includes first. This folder is searched before the toolkit's.
#ifndef CUBINET_THRUST_CONFIG_H
#define CUBINET_THRUST_CONFIG_H

// What Thrust's headers take for granted, because a host's library includes it with others.
#include <cstddef>
#include <iosfwd>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

// In kernels an algorithm is what one thread does, whatever the policy: thrust::device is the same as thrust::seq. So
// it is made by Thrust's plain C++ code; that for CUDA launches kernels from the host, and NVRTC refuses it.
#if !defined(THRUST_DEVICE_SYSTEM) && !defined(CUBINET_ALGORITHM_KERNELS)
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP
#endif

#include_next <thrust/detail/config.h>

// Names of kernels that have Thrust's types are nvcc's: with the namespace in them that CUDA's algorithms have.
#if defined(THRUST_DETAIL_ABI_NS_BEGIN) && defined(_CCCL_PP_SPLICE_WITH) && !defined(THRUST_DISABLE_ABI_NAMESPACE) && \
    !defined(THRUST_WRAPPED_NAMESPACE)
#undef THRUST_DETAIL_ABI_NS_BEGIN
#undef THRUST_DETAIL_ABI_NS_END
#define CUBINET_THRUST_ABI _CCCL_PP_SPLICE_WITH(_, THRUST, THRUST_VERSION, SM, __CUDA_ARCH_LIST__, NS)
#define THRUST_DETAIL_ABI_NS_BEGIN inline namespace CUBINET_THRUST_ABI {
#define THRUST_DETAIL_ABI_NS_END }
#endif

#if __has_include(<cuda/__nvtx/nvtx.h>)
#include <cuda/__nvtx/nvtx.h>
#endif

// NVRTC refuses functions for the host alone, which nothing calls here. Before CCCL 2.5 (CUDA 12.6) their annotation is
// no macro of Thrust's: from here on, `__host__` means both.
#if THRUST_VERSION >= 200500
#undef _CCCL_HOST
#define _CCCL_HOST __host__ __device__
#else
#undef __host__
#define __host__ __attribute__((host)) __attribute__((device))
#endif

#endif
