// Explicit instantiations of kernels and of the functions that launch them.
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>
#include <cuda_runtime.h>

namespace lib {
template <typename T, int Unroll = 4> __global__ void __launch_bounds__(128) scale_kernel(T *__restrict__ x, T factor, std::size_t n)
{
  std::size_t base = (std::size_t(blockIdx.x) * 128 + threadIdx.x) * Unroll;
#pragma unroll
  for (int k = 0; k < Unroll; k++)
    if (base + k < n)
      x[base + k] *= factor;
}

template __global__ void scale_kernel<float, 4>(float *, float, std::size_t);
template __global__ void scale_kernel<double>(double *, double, std::size_t);

template <typename T> struct scaler {
  std::vector<T> staging;
  std::shared_ptr<void> owner;
  void operator()(T *x, T factor, std::size_t n, cudaStream_t stream);
};

template <typename T> void scaler<T>::operator()(T *x, T factor, std::size_t n, cudaStream_t stream)
{
  constexpr int unroll = std::is_same<T, int8_t>::value ? 16 : 2;
  scale_kernel<T, unroll><<<static_cast<unsigned>((n + 128 * unroll - 1) / (128 * unroll)), 128, 0, stream>>>(x, factor, n);
}

template struct scaler<int8_t>;
template struct scaler<int>;
template void scaler<long long>::operator()(long long *, long long, std::size_t, cudaStream_t);
extern template struct scaler<short>;
} // namespace lib
