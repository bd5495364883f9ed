// Templates of both sides whose host instances use host types, and pragmas that silence the warnings of it.
#include "check.h"
#include <algorithm>
#include <functional>
#include <list>
#include <numeric>
#include <string>
#include <vector>
#if defined(__NVCC_DIAG_PRAGMA_SUPPORT__)
#pragma nv_diag_suppress 20014
#define QUIET _Pragma("nv_exec_check_disable")
#else
#define QUIET
#endif

QUIET template <class It, class F> __host__ __device__ void each(It first, It last, F f)
{
  for (; first != last; ++first)
    f(*first);
}

template <class T> __host__ __device__ T unit() { return T(1); }
template <> std::string unit<std::string>() { return "1"; }
template <class T> struct Acc { T sum{}; __host__ __device__ void operator()(const T &v) { sum += v; } };

template <class T> __host__ __device__ inline T lerp_(T a, T b, T t)
{
#if defined(__CUDA_ARCH__)
  return fma(t, b, fma(-t, a, a));
#else
  std::vector<T> both{a, b};
  return both[0] * (1 - t) + both[1] * t;
#endif
}

struct Mixed {
  float v = 2;
  __host__ std::string name() const { return "mixed"; }
  __host__ __device__ float value() const { return v; }
  __device__ float device_value() const { return v * 2; }
  float host_value() const { return std::stof(std::to_string(v)); }
  __host__ Mixed &operator=(const std::string &s) { v = std::stof(s); return *this; }
  template <class Out> __host__ void print(Out &out) const { out << v; }
};

__global__ void kernel(float *x, Mixed m)
{
  struct Add { float by; __device__ void operator()(float &v) const { v += by; } };
  auto twice = [](float &v) { v *= 2; };
  each(x + threadIdx.x, x + threadIdx.x + 1, Add{m.value()});
  each(x + threadIdx.x, x + threadIdx.x + 1, twice);
  x[threadIdx.x] = lerp_(x[threadIdx.x], unit<float>(), 0.5f) + m.device_value();
}

int main()
{
  std::list<std::string> words{"a", "b"};
  std::string joined;
  each(words.begin(), words.end(), [&](std::string &w) { joined += w + unit<std::string>(); });
  float *x;
  Mixed m;
  m = "3";
  CHECK(cudaMallocManaged(&x, 128));
  std::iota(x, x + 32, 0);
  kernel<<<1, 32>>>(x, m);
  CHECK(cudaDeviceSynchronize());
  bool right = joined == "a1b1" && m.name() == "mixed" && m.host_value() == 3;
  for (int i = 0; i < 32; i++)
    right &= x[i] == lerp_(2.0f * (i + 3), 1.0f, 0.5f) + 6;
  return verdict("both", right);
}
