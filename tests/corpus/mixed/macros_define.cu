// Macros for annotations, macros that define whole functions, and one that defines kernel and wrapper.
#include "check.h"
#include <vector>

#define DEV __device__ __forceinline__
#define HOST_ONLY static inline
#define GLOBAL(name, ...) extern "C" __global__ void name(__VA_ARGS__)
#define BOUNDS(n) __launch_bounds__(n)

#define DEFINE_OP(name, expr)                                                          \
  struct name {                                                                        \
    template <class T> DEV T operator()(T a, T b) const { return expr; }               \
    template <class T> static T on_host(T a, T b) { return expr; }                     \
    static const char *text() { return #expr; }                                        \
  };

DEFINE_OP(Plus, a + b)
DEFINE_OP(Times, a *b)
DEFINE_OP(Least, a < b ? a : b)
#undef DEFINE_OP

#define DEFINE_UNARY(name, T, expr)                                                                              \
  __global__ void name##_##T##_kernel(T *x, int n)                                                               \
  {                                                                                                              \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                               \
    if (i < n) {                                                                                                 \
      T v = x[i];                                                                                                \
      x[i] = (expr);                                                                                             \
    }                                                                                                            \
  }                                                                                                              \
  void name##_##T(std::vector<T> &host)                                                                          \
  {                                                                                                              \
    T *x;                                                                                                        \
    CHECK(cudaMalloc(&x, host.size() * sizeof(T)));                                                              \
    CHECK(cudaMemcpy(x, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));                          \
    name##_##T##_kernel<<<(int(host.size()) + 63) / 64, 64>>>(x, int(host.size()));                              \
    CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(T), cudaMemcpyDeviceToHost));                          \
    CHECK(cudaFree(x));                                                                                          \
  }
#define DEFINE_ALL(name, expr) DEFINE_UNARY(name, float, expr) DEFINE_UNARY(name, int, expr)

DEFINE_ALL(negate, -v)
DEFINE_ALL(cube, v *v *v)

DEV float helper(float a) { return a + 1; }
HOST_ONLY float helper_reference(float a) { return a + 1; }

GLOBAL(raise, float *x, int n)
{
  if (threadIdx.x < n)
    x[threadIdx.x] = helper(x[threadIdx.x]);
}

template <class Op> BOUNDS(256) __global__ void combine(const float *a, const float *b, float *c)
{
  c[threadIdx.x] = Op{}(a[threadIdx.x], b[threadIdx.x]);
}

#define TRY_OP(Op)                                     \
  combine<Op><<<1, 256>>>(a, b, c);                    \
  CHECK(cudaDeviceSynchronize());                      \
  for (int i = 0; i < 256; i++)                        \
    right &= c[i] == Op::on_host(a[i], b[i])

int main()
{
  std::vector<float> f(100, 2);
  std::vector<int> k(100, -3);
  negate_float(f), cube_float(f), cube_int(k);
  negate_int(k);
  bool right = f[99] == -8 && k[99] == 27;
  float *a, *b, *c;
  CHECK(cudaMallocManaged(&a, 1024));
  CHECK(cudaMallocManaged(&b, 1024));
  CHECK(cudaMallocManaged(&c, 1024));
  for (int i = 0; i < 256; i++)
    a[i] = i, b[i] = 100 - i;
  TRY_OP(Plus);
  TRY_OP(Times);
  TRY_OP(Least);
  float before = a[7];
  raise<<<1, 256>>>(a, 256);
  CHECK(cudaDeviceSynchronize());
  return verdict(Least::text(), right && a[7] == helper_reference(before));
}
