// Expression templates that host operators build and kernels evaluate.
#include "check.h"
#include <cassert>
#include <cmath>
#include <type_traits>
#include <vector>

template <class E> struct Expr { __host__ __device__ const E &self() const { return static_cast<const E &>(*this); } };

struct Column : Expr<Column> {
  const float *data;
  explicit Column(const float *d) : data(d) {}
  __device__ float eval(int i) const { return data[i]; }
};

struct Constant : Expr<Constant> {
  float v;
  Constant(float v) : v(v) {}
  __device__ float eval(int) const { return v; }
};

template <class Op, class L, class R> struct Binary : Expr<Binary<Op, L, R>> {
  L l;
  R r;
  Binary(L l, R r) : l(l), r(r) {}
  __device__ float eval(int i) const { return Op::apply(l.eval(i), r.eval(i)); }
};

#define BINARY(op, name)                                                                                       \
  struct name { static __device__ float apply(float a, float b) { return a op b; } };                          \
  template <class L, class R> Binary<name, L, R> operator op(const Expr<L> &l, const Expr<R> &r)               \
  {                                                                                                            \
    return {l.self(), r.self()};                                                                               \
  }                                                                                                            \
  template <class L> auto operator op(const Expr<L> &l, float r) { return l.self() op Constant(r); }
BINARY(+, Add)
BINARY(-, Sub)
BINARY(*, Mul)
BINARY(/, Div)

template <class E> __global__ void evaluate(float *out, E e, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = e.eval(i);
}

class Vector {
  std::vector<float> host_;
  float *device_ = nullptr;
public:
  Vector(std::initializer_list<float> v) : host_(v) { CHECK(cudaMallocManaged(&device_, host_.size() * 4)); std::copy(v.begin(), v.end(), device_); }
  ~Vector() { cudaFree(device_); }
  Column operator()() const { return Column(device_); }
  template <class E> Vector &operator=(const Expr<E> &e)
  {
    evaluate<<<1, 128>>>(device_, e.self(), static_cast<int>(host_.size()));
    CHECK(cudaDeviceSynchronize());
    return *this;
  }
  float operator[](std::size_t i) const { assert(i < host_.size()); return device_[i]; }
};

int main()
{
  Vector a{1, 2, 3}, b{10, 20, 30}, c{0, 0, 0};
  c = a() * b() + b() / 2.0f - a();
  bool right = c[0] == 14 && c[1] == 48 && c[2] == 102;
  c = c() + 1.0f;
  return verdict("expressions", right && c[0] == 15);
}
