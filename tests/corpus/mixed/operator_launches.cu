// Kernels that overloaded operators launch, and constructors of bases and members that no one names.
#include <cstdio>
#include <vector>
template <typename T> __global__ void add(T *x) { *x += 1; }
template <typename T> __global__ void mul(T *x) { *x *= 2; }
template <typename T> __global__ void fill(T *x) { *x = 0; }
template <typename T> __global__ void call(T *x) { *x = 0; }
template <typename T> __global__ void idx(T *x) { *x = 0; }
template <typename T> __global__ void neg(T *x) { *x = 0; }
template <typename T> __global__ void based(T *x) { *x = 0; }
template <typename T> __global__ void dtor(T *x) { *x = 0; }
template <typename T> __global__ void assign(T *x) { *x = 0; }
template <typename T> __global__ void out(T *x) { *x = 0; }
template <typename T> struct vec {
  T *p;
  vec &operator+=(T v) { add<T><<<1, 1>>>(p); return *this; }
  vec &operator=(T v) { assign<T><<<1, 1>>>(p); return *this; }
  void operator()(int n) { call<T><<<1, 1>>>(p); }
  T operator[](int n) { idx<T><<<1, 1>>>(p); return 0; }
  vec operator-() { neg<T><<<1, 1>>>(p); return *this; }
};
template <typename T> vec<T> operator*(vec<T> a, T b) { mul<T><<<1, 1>>>(a.p); return a; }
template <typename T> FILE *operator<<(FILE *f, vec<T> a) { out<T><<<1, 1>>>(a.p); return f; }
template <typename T> struct base { T *p; base() { based<T><<<1, 1>>>(p); } ~base() { dtor<T><<<1, 1>>>(p); } };
struct derived : base<float> { int n; };
struct derived2 : base<double> { derived2(int) {} };
template <typename T> struct member { base<T> b; };
template <typename T> struct functor { void operator()(T *x) const { fill<T><<<1, 1>>>(x); } };
template <typename T> struct held { T *p; held(T *q, int) { based<T><<<1, 1>>>(q); } };
struct outer { held<short> h; outer(short *q) : h(q, 1) { n = 3; } int n; };
derived global;
int main(int argc, char **) {
  if (argc < 2)
    return 0;
  vec<float> v{nullptr};
  v += 1.0f;
  v = 2.0f;
  v(3);
  v[2];
  vec<float> w = -v;
  w = v * 3.0f;
  stdout << v;
  derived2 d(1);
  member<int> m;
  static outer o(nullptr);
  functor<char>()(nullptr);
  functor<short> f; f(nullptr);
}
