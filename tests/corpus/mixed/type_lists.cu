// Instances made by type lists, recursion and fold expressions; a registry filled by static objects.
#include "check.h"
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <typeindex>
#include <vector>

template <class... T> struct list {};
using all_types = list<char, short, int, float>;
template <class T> __global__ void fill(void *x, int v) { static_cast<T *>(x)[threadIdx.x] = T(v + int(threadIdx.x)); }
template <class T, int Pow> __global__ void raise(T *x) { T v = x[threadIdx.x], r = 1; for (int k = 0; k < Pow; k++) r *= v; x[threadIdx.x] = r; }

using filler = void (*)(void *, int);
std::map<std::type_index, filler> &registry() { static std::map<std::type_index, filler> r; return r; }
template <class T> struct Register { Register() { registry()[typeid(T)] = fill<T>; } };
template <class... T> struct RegisterAll : Register<T>... { RegisterAll(list<T...>) {} };
static RegisterAll registered{all_types{}};

template <int P> void raise_to(float *x, int p)
{
  if (p == P)
    raise<float, P><<<1, 32>>>(x);
  else if constexpr (P > 1)
    raise_to<P - 1>(x, p);
}
template <class T, int... P> void each_power(T *x, std::integer_sequence<int, P...>) { (raise<T, P + 1><<<1, 32>>>(x), ...); }

int main()
{
  float *x;
  int *k;
  CHECK(cudaMallocManaged(&x, 128)); CHECK(cudaMallocManaged(&k, 128));
  registry().at(typeid(float))<<<1, 32>>>(x, 1);
  registry().at(typeid(int))<<<1, 32>>>(k, 2);
  raise_to<4>(x, 3);
  each_power(k, std::make_integer_sequence<int, 2>{});
  CHECK(cudaDeviceSynchronize());
  bool right = registry().size() == 4;
  for (int i = 0; i < 32; i++) right &= x[i] == float(i + 1) * (i + 1) * (i + 1) && k[i] == (i + 2) * (i + 2);
  return verdict("lists", right);
}
