// Variadic templates and folds on both sides, C varargs, parameter packs in launches.
#include "check.h"
#include <cstdarg>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

template <class... Ts> struct Pack;
template <> struct Pack<> { static constexpr int size = 0; };
template <class T, class... Ts> struct Pack<T, Ts...> { T head; Pack<Ts...> tail; static constexpr int size = 1 + Pack<Ts...>::size; };

template <class... Fs> __global__ void chain(float *x, Fs... fs)
{
  float v = x[threadIdx.x];
  ((v = fs(v)), ...);
  x[threadIdx.x] = v;
}
template <int... Is> __global__ void add_all(int *x, std::integer_sequence<int, Is...>) { x[threadIdx.x] += (Is + ... + 0); }
template <template <class...> class C, class T> __global__ void sized(int *x, C<T, T, T>) { *x = C<T, T, T>::size; }

struct Twice { __device__ float operator()(float v) const { return 2 * v; } };
struct Minus { float by; __device__ float operator()(float v) const { return v - by; } };

template <class... A> std::string format(A &&...a) { std::ostringstream o; ((o << std::forward<A>(a) << ' '), ...); return o.str(); }
template <class Tuple, std::size_t... I> int sum_of(const Tuple &t, std::index_sequence<I...>) { return (... + std::get<I>(t)); }
static void trace(const char *fmt, ...) { va_list l; va_start(l, fmt); std::vprintf(fmt, l); va_end(l); }
template <class K, class... A> void launch(K kernel, dim3 grid, dim3 block, A... args) { void *p[] = {(void *)&args...}; CHECK(cudaLaunchKernel((void *)kernel, grid, block, p, 0, 0)); }
template <class... A> void direct(float *x, A &&...a) { chain<<<1, 32>>>(x, std::forward<A>(a)...); }

int main()
{
  float *x;
  int *k;
  CHECK(cudaMallocManaged(&x, 128)); CHECK(cudaMallocManaged(&k, 128));
  for (int i = 0; i < 32; i++) x[i] = i, k[i] = i;
  direct(x, Twice{}, Minus{1}, Twice{});
  direct(x);
  launch(add_all<1, 2, 3>, 1, 32, k, std::integer_sequence<int, 1, 2, 3>{});
  CHECK(cudaDeviceSynchronize());
  bool right = sum_of(std::make_tuple(1, 2, 3), std::make_index_sequence<3>{}) == 6 && format(1, "a") == "1 a ";
  for (int i = 0; i < 32; i++) right &= x[i] == 2 * (2 * i - 1) && k[i] == i + 6;
  sized<Pack><<<1, 1>>>(k, Pack<int, int, int>{});
  CHECK(cudaDeviceSynchronize());
  trace("%s %d\n", "sized", *k);
  return verdict("variadic", right && *k == 3);
}
