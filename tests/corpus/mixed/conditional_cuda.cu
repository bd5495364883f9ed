// A file for three compilers: __CUDACC__, __CUDA_ARCH__, __CUDACC_RTC__, __NVCC__, HIP; half of it is for others.
#if defined(__HIPCC__)
#include <hip/hip_runtime.h>
#define gpuMallocManaged hipMallocManaged
#elif defined(__CUDACC__)
#include "check.h"
#define gpuMallocManaged cudaMallocManaged
#else
#error "a compiler for GPUs is needed"
#endif
#if !defined(__CUDACC_RTC__)
#include <cstdint>
#include <string>
#include <vector>
#if __has_include(<nonexistent_library.h>)
#include <nonexistent_library.h>
#define HAVE_LIBRARY 1
#endif
#endif
#if __cplusplus >= 201703L && defined(__has_cpp_attribute)
#define FALL [[fallthrough]]
#else
#define FALL
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600
#error "too old"
#endif
#ifdef __CUDA_ARCH__
#define INLINE __device__ __forceinline__
#else
#define INLINE inline
#endif
#ifndef __CUDA_ARCH__
namespace host_only { struct Log { std::vector<std::string> lines; void add(std::string s) { lines.push_back(std::move(s)); } }; }
#endif
#if defined(HAVE_LIBRARY) || 0
static nonexistent_type value;
#endif

__host__ __device__ constexpr int width()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  return 4;
#elif defined(__CUDA_ARCH__)
  return 2;
#else
  return 1;
#endif
}

__host__ __device__ int weigh(int k)
{
  switch (k) {
  case 0: k += 2; FALL;
  case 1: return k + 1;
  default: return -1;
  }
}

__global__ void widths(int *x) { x[threadIdx.x] = width() + weigh(threadIdx.x % 2); }

#ifndef __CUDACC_RTC__
int main()
{
  int *x;
  CHECK(gpuMallocManaged(&x, 128));
  widths<<<1, 32>>>(x);
  CHECK(cudaDeviceSynchronize());
#ifndef __CUDA_ARCH__
  host_only::Log log;
  log.add("ran");
#endif
  return verdict("widths", x[0] - 3 >= 2 && x[1] - 2 == x[0] - 3 && width() == 1);
}
#endif
