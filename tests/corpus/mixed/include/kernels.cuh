#ifndef KERNELS_CUH
#define KERNELS_CUH
// Kernels in a header, static and templated, with the prototype of a launcher and an inline one.
#include <cuda_runtime.h>
#include <string>

static __global__ void clear_kernel(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 0; }
template <typename T> static __global__ void increment_kernel(T *x, int n, T by = T(1)) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += by; }

void clear(float *x, int n, cudaStream_t stream = 0);
std::string describe(const cudaDeviceProp &prop);
inline void increment(float *x, int n, float by) { increment_kernel<<<(n + 255) / 256, 256>>>(x, n, by); }
cudaError_t last_error() noexcept;

#ifdef __CUDACC__
template <int Width> __device__ __forceinline__ float warp_sum(float v)
{
#pragma unroll
  for (int s = Width / 2; s > 0; s >>= 1)
    v += __shfl_xor_sync(~0u, v, s, Width);
  return v;
}
#endif
#endif
