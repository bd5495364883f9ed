// Code of the host's that is left out for NVRTC, as CUTLASS's headers leave theirs out, and what needs it.
#pragma once
#include "check.h"
#include <cmath>

#if !defined(__CUDACC_RTC__)
#include <memory>

namespace owning {
template <class T> struct free_memory {
  void operator()(T *at) const { cudaFree(at); }
};
template <class T> using owner = std::unique_ptr<T, free_memory<T>>;

template <class T> owner<T> allocate(int count)
{
  T *at = nullptr;
  CHECK(cudaMallocManaged(&at, count * sizeof *at));
  return owner<T>(at);
}
}
#endif // !defined(__CUDACC_RTC__)

namespace owning {
// For NVRTC, a name of libcu++ that nothing includes.
template <class T> __host__ __device__ T distance(T a, T b)
{
#if defined(__CUDACC_RTC__)
  using cuda::std::abs;
#else
  using std::abs;
#endif
  return abs(a - b);
}

template <class T> struct Tensor {
  int count;
  owner<T> data;
  explicit Tensor(int count) : count(count), data(allocate<T>(count)) {}
  T *get() const { return data.get(); }
};
}
