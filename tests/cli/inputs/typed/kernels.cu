// SPDX-License-Identifier: Apache-2.0
// Kernels with parameters of all kinds.
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda/std/complex>
#include <cuda/std/tuple>

struct Params { float scale; int count; long long total; };
struct Empty {};
enum Mode { FAST, SLOW };
enum class Tiny : unsigned char { A, B };
union Either { float f; int i; };
template <class T, int N> struct Array { T values[N]; struct Inner { T first; }; using type = T; };
struct doubled { __device__ float operator()(float x) const { return 2 * x; } };

__global__ void plain(float *x, float f, int n) { x[n] = f; }
__global__ void plain(double *x, double f, int n) { x[n] = f; }
__global__ void numbers(bool b, char c, signed char sc, unsigned char uc, short s, unsigned short us, int i, unsigned u, long l,
    unsigned long ul, long long ll, unsigned long long ull, float f, double d) {}
__global__ void odd_numbers(wchar_t w, char16_t c16, char32_t c32, __int128 wide, size_t n, ptrdiff_t d) {}
__global__ void pointers(const int *const *a, int **b, const volatile float *c, volatile int *d, void *e, const void *f, char *__restrict__ g,
    const float *const __restrict__ h, float ***i, const void *const *j) {}
__global__ void objects(Params *a, const Params *b, Params **c, Mode *d, float (*e)[4], const __half *f, float4 *g, void (*h)(int), const Array<float, 3> *i) {}
__global__ void values(Params a, Mode b, Tiny c, Either d, Array<float, 5> e, Array<int, 3>::Inner f, Empty g, Array<int, 3>::type h, void (*i)(int, float)) {}
__global__ void vectors(float4 a, int2 b, dim3 c, half d, half2 e, __nv_bfloat16 f, __nv_bfloat162 g, double2 h, uchar4 i, float3 j) {}
__global__ void tensor(const __grid_constant__ CUtensorMap map, float *out) {}
__global__ void complexes(cuda::std::complex<float> a, const cuda::std::complex<double> *b, cuda::std::tuple<int, float> c) {}
__global__ void member(int Params::*a, float *b) {}
__global__ void nothing() {}
namespace outer { namespace inner { __global__ void scale(float *x, Mode m) {} }
inline namespace v2 { __global__ void versioned(int *x) {} }
__global__ void linux_(int x) {}
}
namespace reduce { __global__ void sum(float *x) {} }
__global__ void reduce_(float *x) {}
namespace { __global__ void hidden(Params p, int *x) {} struct Local { int a; }; __global__ void local(Local l) {} }
static __global__ void internal(int *x) {}
template <class T, class I, int THREADS, int ITEMS> __global__ void segsum(const T *values, const I *offsets, T *sums) {}
template <bool B, unsigned long long M, char C, short S> __global__ void literals(int *x) {}
template <class F, int N> __global__ void apply(F f, float *x) {}
template <class... Ts> __global__ void pack(Ts... values) {}
template <class... Ts> __global__ void pointer_pack(int n, Ts *...values) {}
template <int... Ns> __global__ void numbers_pack(int *x) {}
template <class T> __global__ void dependent(typename T::type x, typename T::type *y, T *z) {}
template <class T, T V> __global__ void constant(T *x) {}
template <Mode M> __global__ void moded(int *x) {}
template <class T> __global__ void twice(T *x) {}
template <class T, int N> __global__ void twice(T *x) {}
template <template <class, int> class C> __global__ void of_template(C<float, 2> c) {}
template <class T> __global__ void conditional(cuda::std::conditional_t<sizeof(T) == 4, int, long> x, T y) {}
template <const char *const *P> __global__ void by_address(int *x) {}
extern "C" __global__ void c_kernel(float a, const float *x, float *y, unsigned n) {}
extern "C" __global__ void new_(int x) {}
