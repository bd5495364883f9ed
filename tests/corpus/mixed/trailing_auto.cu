// Return types that trail or are deduced: auto, decltype(auto), functions that return functions.
#include "check.h"
#include <array>
#include <functional>
#include <string>
#include <tuple>
#include <utility>

auto parse(const std::string &text) -> std::pair<int, bool> { return {std::stoi(text), !text.empty()}; }
auto counter() { return [n = 0]() mutable -> int { return n++; }; }
decltype(auto) first(std::array<float, 4> &a) { return (a[0]); }
int (*choose(bool up))(int, int)
{
  struct local { static int add(int a, int b) { return a + b; } static int sub(int a, int b) { return a - b; } };
  return up ? &local::add : &local::sub;
}
int (&table())[4] { static int t[4] = {1, 2, 3, 4}; return t; }

template <class A, class B> __host__ __device__ auto mix(A a, B b) -> decltype(a * b) { return a * b; }
template <class T> __device__ decltype(auto) at(T *x, int i) { return (x[i]); }
__host__ __device__ auto square(float v) { return v * v; }
__device__ auto (*unused_pointer)(float) -> float = nullptr;

template <class T> __global__ auto blend(T *x, float w, int n) -> void
{
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) {
    decltype(auto) v = at(x, i);
    v = mix(v, w) + square(w);
  }
}

auto main(int argc, char **argv) -> int
{
  auto [n, ok] = parse(argc > 1 ? argv[1] : "300");
  float *x;
  CHECK(cudaMallocManaged(&x, n * sizeof *x));
  auto next = counter();
  for (int i = 0; i < n; i++) x[i] = next();
  blend<<<dim3((n + 31) / 32), dim3(32)>>>(x, 2.0f, n);
  CHECK(cudaDeviceSynchronize());
  std::array<float, 4> a{1, 2, 3, 4};
  first(a) = 9;
  bool right = ok && a[0] == 9 && choose(true)(1, 2) == 3 && table()[3] == 4;
  for (int i = 0; i < n; i++) right &= x[i] == mix(i, 2.0f) + square(2.0f);
  return verdict("blend", right);
}
