// SPDX-License-Identifier: Apache-2.0
// The kernels of the algorithms of CUB and Thrust for whole devices, for --kernel.
//
// Both define them next to the code that launches them from the host. NVRTC takes that code as templates that nobody
// calls, once what it refuses by name is out of the way: functions for the host alone, calls of the runtime, and errors
// with a text. Thrust's device system is CUDA here, as it is for nvcc, so that its types have the same names.
#ifndef CUBINET_STD_ALGORITHM_KERNELS_H
#define CUBINET_STD_ALGORITHM_KERNELS_H

#if __cplusplus >= 201703L && __has_include(<cub/device/dispatch/kernels/radix_sort.cuh>) // CUDA 13 and later

#define CUBINET_ALGORITHM_KERNELS
#define CCCL_DISABLE_NVTX

#include <array>
#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <utility>

#include <thrust/detail/config.h>

// libcu++ as it is for NVRTC: what CUB and Thrust include of it.
#include <cuda/bit>
#include <cuda/cmath>
#include <cuda/discard_memory>
#include <cuda/functional>
#include <cuda/ptx>
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/expected>
#include <cuda/std/functional>
#include <cuda/std/iterator>
#include <cuda/std/limits>
#include <cuda/std/mdspan>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <cuda/std/variant>
#include <cuda/type_traits>

#include <thrust/iterator/iterator_traits.h>

#define _CUBINET_RUNTIME(function)                                                                           \
    template <class... _Args> __host__ __device__ cudaError_t function(_Args &&...);
_CUBINET_RUNTIME(cudaDeviceGetAttribute)
_CUBINET_RUNTIME(cudaDeviceSynchronize)
_CUBINET_RUNTIME(cudaEventCreateWithFlags)
_CUBINET_RUNTIME(cudaEventDestroy)
_CUBINET_RUNTIME(cudaEventQuery)
_CUBINET_RUNTIME(cudaEventRecord)
_CUBINET_RUNTIME(cudaFree)
_CUBINET_RUNTIME(cudaFuncGetAttributes)
_CUBINET_RUNTIME(cudaFuncSetAttribute)
_CUBINET_RUNTIME(cudaGetDevice)
_CUBINET_RUNTIME(cudaGetDeviceCount)
_CUBINET_RUNTIME(cudaGetLastError)
_CUBINET_RUNTIME(cudaLaunchKernelEx)
_CUBINET_RUNTIME(cudaLaunchKernelExC)
_CUBINET_RUNTIME(cudaMalloc)
_CUBINET_RUNTIME(cudaMemcpy)
_CUBINET_RUNTIME(cudaMemcpyAsync)
_CUBINET_RUNTIME(cudaMemsetAsync)
_CUBINET_RUNTIME(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
_CUBINET_RUNTIME(cudaPeekAtLastError)
_CUBINET_RUNTIME(cudaSetDevice)
_CUBINET_RUNTIME(cudaStreamSynchronize)
#undef _CUBINET_RUNTIME
__host__ __device__ const char *cudaGetErrorName(cudaError_t);
__host__ __device__ const char *cudaGetErrorString(cudaError_t);

#undef CUB_RUNTIME_FUNCTION
#define CUB_RUNTIME_FUNCTION __host__ __device__

// From here on CUB and Thrust have all that they have for nvcc.
#undef _CCCL_COMPILER_NVRTC
#define _CCCL_COMPILER_NVRTC() _CCCL_VERSION_INVALID()

// Two static variables of functions for the host start with values that only running tells, which the device's must not.
#define DeviceCountCachedValue()                                                                             \
    DeviceCountCachedValue()                                                                                 \
    {                                                                                                        \
        return 0;                                                                                            \
    }                                                                                                        \
    template <class> __host__ __device__ int _CubinetDeviceCount()
#define PerDeviceAttributeCache()                                                                            \
    constexpr PerDeviceAttributeCache() : entries_()                                                         \
    {                                                                                                        \
    }                                                                                                        \
    template <class _Ty> __host__ __device__ explicit PerDeviceAttributeCache(_Ty *)
#include <cub/util_device.cuh>
#undef DeviceCountCachedValue
#undef PerDeviceAttributeCache

// Thrust's errors have texts, which are std::string; CUB's iterators can be printed. Neither is there for NVRTC, but then
// some of Thrust's functions lack, too.
#include <thrust/system/cuda/detail/execution_policy.h>
#undef _CCCL_COMPILER_NVRTC
#define _CCCL_COMPILER_NVRTC() (__CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__)
#include <cub/iterator/arg_index_input_iterator.cuh>
#include <cub/iterator/cache_modified_output_iterator.cuh>
#include <cub/iterator/tex_obj_input_iterator.cuh>
#include <thrust/system/cuda/detail/util.h>
#undef _CCCL_COMPILER_NVRTC
#define _CCCL_COMPILER_NVRTC() _CCCL_VERSION_INVALID()

THRUST_NAMESPACE_BEGIN
namespace cuda_cub
{
template <class _Ty> __host__ __device__ cudaError_t trivial_copy_from_device(_Ty *, const _Ty *, size_t, cudaStream_t);
template <class _Ty> __host__ __device__ cudaError_t trivial_copy_to_device(_Ty *, const _Ty *, size_t, cudaStream_t);
template <class _Policy, class _Ty>
__host__ __device__ cudaError_t trivial_copy_device_to_device(_Policy &, _Ty *, const _Ty *, size_t);
} // namespace cuda_cub
THRUST_NAMESPACE_END

#include <cub/cub.cuh>
#include <thrust/execution_policy.h>

#undef _CCCL_COMPILER_NVRTC
#define _CCCL_COMPILER_NVRTC() (__CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__)

#endif

#endif
