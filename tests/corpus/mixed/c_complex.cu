// Sources that grew out of C: its complex types in host code, functions that return `struct …`, prototypes that an inline
// function has a body of elsewhere.
#include "check.h"
#include <cuComplex.h>

struct sample { _Complex float first; double _Complex second; };

template <int D, typename T> struct strides { T step[D]; };
template <int D, typename T> static struct strides<D, T>strides_of(const long dims[D])
{
  struct strides<D, T> s;
  s.step[0] = dims[0];
  s.step[1] = dims[0] * dims[1];
  return s;
}
static struct sample no_sample(void) { struct sample s = {0, 0}; return s; }

template <int D, typename T, bool Adjoint> __global__ void shift(struct strides<D, T> s, cuFloatComplex *dst, const cuFloatComplex *src)
{
  for (T i = threadIdx.x; i < s.step[D - 1]; i += blockDim.x)
    if (Adjoint) dst[i] = src[(i + s.step[0]) % s.step[D - 1]];
    else dst[(i + s.step[0]) % s.step[D - 1]] = src[i];
}
template <class T> __global__ void swap(T *p) { T t = p[0]; p[0] = p[1]; p[1] = t; }

template <int D, typename T, bool Adjoint> static void shift_as(_Complex float *dst, const _Complex float *src, const long dims[2])
{
  struct strides<D, T> s = strides_of<D, T>(dims);
  shift<D, T, Adjoint><<<1, 32>>>(s, (cuFloatComplex *)dst, (const cuFloatComplex *)src);
}

extern "C" void shift_any(_Complex float *dst, const _Complex float *src, const long dims[2], bool adjoint)
{
  const long n = dims[0] * dims[1];
  if (adjoint)
    if (n < 1l << 31) shift_as<2, unsigned, true>(dst, src, dims);
    else shift_as<2, unsigned long, true>(dst, src, dims);
  else if (n < 1l << 31) shift_as<2, unsigned, false>(dst, src, dims);
  else shift_as<2, unsigned long, false>(dst, src, dims);
}

inline void complain(const char *what);
template <class T> void swap_all(T *p, int n)
{
  if (n < 2) complain("too few");
  const float _Complex *rest = (const float _Complex *)p;
  swap<<<1, 1>>>(p);
  swap<<<1, 1>>>((float *)rest + 2);
}
inline void complain(const char *what) { std::cerr << what << sizeof no_sample() << std::endl; std::exit(2); }

int main()
{
  _Complex float *a, *b;
  CHECK(cudaMallocManaged(&a, 16 * sizeof *a));
  CHECK(cudaMallocManaged(&b, 16 * sizeof *b));
  float *values = (float *)a, *others = (float *)b;
  for (int i = 0; i < 32; i++) values[i] = i;
  const long dims[] = {2, 8};
  shift_any(b, a, dims, false);
  CHECK(cudaDeviceSynchronize());
  bool right = others[4] == 0 && others[5] == 1 && others[0] == 28;
  shift_any(a, b, dims, true);
  swap_all((cuFloatComplex *)a, 2);
  CHECK(cudaDeviceSynchronize());
  return verdict("c complex", right && values[0] == 3 - 1 && values[1] == 3 && values[2] == 1 && values[3] == 0);
}
