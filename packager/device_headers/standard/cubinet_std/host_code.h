// SPDX-License-Identifier: Apache-2.0
// What is left of host code needs this to compile. Nothing of it is ever run: kernels are launched so that their instances
// are made.
#ifndef CUBINET_STD_HOST_CODE_H
#define CUBINET_STD_HOST_CODE_H

// Of sources without host code it is not defined: those for NVRTC ask it whether host code is compiled.
#define __NVCC__ 1

extern "C" {
__device__ void *cudaGetParameterBufferV2(void *, dim3, dim3, unsigned int);
__device__ cudaError_t cudaLaunchDeviceV2(void *, cudaStream_t);
}

// Of the C library's headers, which nvcc includes before every source.
typedef long ssize_t;

// C's complex types, which NVRTC does not have.
template <typename T> struct alignas(T) cubinet_complex {
    T real, imaginary;
};

// The type of a constant that was refused: it has no value.
struct cubinet_left_out {};

// A variable of the host's of which only the type matters.
template <typename T> __device__ T &cubinet_any()
{
    return *static_cast<T *>(nullptr);
}

#endif
