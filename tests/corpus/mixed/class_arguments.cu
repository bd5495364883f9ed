// Classes whose constructors launch, as arguments of templates that launch, many on one line.
#include "check.h"

template <class T> __global__ void scale(T *at, T by) { at[threadIdx.x] *= by; }

struct Scaler {
  template <class T> void operator()(T *at) const { scale<T><<<1, 32>>>(at, T(2)); }
};

template <int I> struct Wrapped {
  Wrapped() : value(I) {}
  template <class F, class T> Wrapped(F function, T *at) : value(I) { function(at); }
  int value;
};

template <class To, class From> To convert(From *from)
{
  scale<From><<<1, 32>>>(from, From(3));
  return To();
}

#define READ(I, T) int read_##I(T *at) { return convert<Wrapped<I>, T>(at).value; }
#define ALL(_) _(1, int) _(2, short) _(3, double)
ALL(READ)

template <class T> bool is_all(const T *at, T wanted)
{
  for (int i = 0; i < 32; i++)
    if (at[i] != wanted) return false;
  return true;
}

template <class T> T *ones()
{
  T *at;
  CHECK(cudaMallocManaged(&at, 32 * sizeof(T)));
  for (int i = 0; i < 32; i++) at[i] = T(1);
  return at;
}

int main()
{
  int *ints = ones<int>();
  short *shorts = ones<short>();
  double *doubles = ones<double>();
  float *floats = ones<float>();
  bool right = read_1(ints) + read_2(shorts) + read_3(doubles) == 6 && Wrapped<4>(Scaler(), floats).value == 4;
  CHECK(cudaDeviceSynchronize());
  right = right && is_all(ints, 3) && is_all(shorts, short(3)) && is_all(doubles, 3.) && is_all(floats, 2.f);
  return verdict("class arguments", right);
}
