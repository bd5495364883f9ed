// options: -std=c++20
// Concepts, requires clauses in all their places, abbreviated templates on the host.
#include "check.h"
#include <concepts>
#include <ranges>
#include <span>
#include <vector>

template <class T> concept Number = std::integral<T> || std::floating_point<T>;
template <class F, class T> concept Unary = requires(F f, T x) { { f(x) } -> std::convertible_to<T>; };

template <Number T> requires(sizeof(T) >= 4) __global__ void fill(T *x, T value, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = value;
}

template <class T>
  requires std::floating_point<T>
__device__ auto smooth(T a, T b) -> T requires(!std::same_as<T, long double>) { return (a + b) / 2; }

template <class T, Unary<T> F> __global__ void apply(T *x, F f, int n) requires Number<T>
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) x[i] = f(x[i]);
}

struct Halve {
  template <std::floating_point T> __device__ T operator()(T x) const { return smooth(x, T{}); }
};

auto total(const std::ranges::range auto &values) { double sum = 0; for (auto v : values) sum += v; return sum; }

template <std::ranges::contiguous_range R> requires requires(R r) { r.size(); }
void check(R &&r, auto &&...more) { (void)std::span(r); ((void)more, ...); }

int main()
{
  const int n = 777;
  float *x;
  double *y;
  CHECK(cudaMallocManaged(&x, n * sizeof *x));
  CHECK(cudaMallocManaged(&y, n * sizeof *y));
  fill<<<4, 256>>>(x, 3.0f, n);
  fill<double><<<4, 256>>>(y, 5.0, n);
  apply<<<4, 256>>>(x, Halve{}, n);
  CHECK(cudaDeviceSynchronize());
  std::vector<float> host(x, x + n);
  check(host, 1, 2);
  return verdict("concepts", total(host) == 1.5 * (n - 1) + 3 && total(std::span(y, n)) == 5.0 * n);
}
