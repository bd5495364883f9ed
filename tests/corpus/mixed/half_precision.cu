// cuda_fp16 and bf16 on both sides, a dispatch over them, type traits that map host types.
#include "check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <limits>
#include <stdexcept>
#include <typeinfo>
#include <vector>

template <class T> struct Convert;
template <> struct Convert<float> { static __host__ __device__ float from(float v) { return v; } static __host__ __device__ float to(float v) { return v; } };
template <> struct Convert<__half> { static __host__ __device__ __half from(float v) { return __float2half(v); } static __host__ __device__ float to(__half v) { return __half2float(v); } };
template <> struct Convert<__nv_bfloat16> { static __host__ __device__ __nv_bfloat16 from(float v) { return __float2bfloat16(v); } static __host__ __device__ float to(__nv_bfloat16 v) { return __bfloat162float(v); } };

template <typename T> __global__ void axpy(const T *x, T *y, float a, int n)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = Convert<T>::from(a * Convert<T>::to(x[i]) + Convert<T>::to(y[i]));
}

__global__ void half2_kernel(__half2 *x, int n) { int i = threadIdx.x; if (i < n) x[i] = __hfma2(x[i], __float2half2_rn(2.f), x[i]); }

template <typename T> bool run()
{
  const int n = 64;
  T *x, *y;
  CHECK(cudaMallocManaged(&x, n * sizeof(T)));
  CHECK(cudaMallocManaged(&y, n * sizeof(T)));
  for (int i = 0; i < n; i++) { x[i] = Convert<T>::from(i); y[i] = Convert<T>::from(1); }
  axpy<T><<<1, n>>>(x, y, 2.0f, n);
  CHECK(cudaDeviceSynchronize());
  bool right = true;
  for (int i = 0; i < n; i++) right &= Convert<T>::to(y[i]) == 2 * i + 1;
  std::printf("%s %d\n", typeid(T).name(), right);
  return right;
}

int main()
{
  __half2 *h;
  CHECK(cudaMallocManaged(&h, 32 * sizeof *h));
  for (int i = 0; i < 32; i++) h[i] = __floats2half2_rn(i, 1);
  half2_kernel<<<1, 32>>>(h, 32);
  CHECK(cudaDeviceSynchronize());
  return verdict("half", run<float>() && run<__half>() && run<__nv_bfloat16>() && __low2float(h[5]) == 15);
}
