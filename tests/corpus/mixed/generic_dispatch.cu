// Dispatch as libraries of arrays have it: generic lambdas and function objects that are called by templates, which pass on
// what they are given.
#include "check.h"
#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <type_traits>
#include <vector>
enum class Type { Int, Float, Half };
template <class T> struct Tag { using type = T; };
template <class F, class... Args> auto visit_type(Type t, F &&f, Args &&...args)
{
  switch (t) {
  case Type::Int: return std::forward<F>(f)(Tag<int>{}, std::forward<Args>(args)...);
  case Type::Float: return std::forward<F>(f)(Tag<float>{}, std::forward<Args>(args)...);
  default: throw std::runtime_error("no such type");
  }
}
template <class T, class Op> __global__ void each(T *x, Op op) { x[threadIdx.x] = op(x[threadIdx.x]); }
template <class T> struct Scale { T by; __device__ T operator()(T x) const { return x * by; } };
template <class T, class Op> void run(T *x, Op op) { each<<<1, 32>>>(x, op); }
struct Array { void *p; Type t; Type type() const { return t; } };
class Scaler {
public:
  void call(const Array &a, double by) {
    visit_type(a.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      run(static_cast<T *>(a.p), Scale<T>{static_cast<T>(by)});
    });
  }
};
template <int N> using int_c = std::integral_constant<int, N>;
template <int N> __global__ void block(float *x) { x[0] = N; }
template <class F> void with_size(int n, F f) { if (n < 32) f(int_c<32>{}); else if (n < 64) f(int_c<64>{}); else f(int_c<128>{}); }
template <class F> void twice(int n, F &f) { with_size(n, f); with_size(n + 1, f); }
void sizes(float *x, int n)
{
  auto launch = [=](auto size) { constexpr int N = decltype(size)::value; block<N><<<1, N>>>(x); };
  twice(n, launch);
  launch(int_c<7>{});
}
struct Launcher {
  float *x;
  template <int A, int B> int operator()(int) const { block<A * 1000 + B><<<1, 1>>>(x); return 0; }
};
namespace detail {
template <class F, class... S> struct Product;
template <class F, int... I, class S2, class... R> struct Product<F, std::integer_sequence<int, I...>, S2, R...> {
  template <int... P> static void apply(F &f) { (Product<F, S2, R...>::template apply<P..., I>(f), ...); }
};
template <class F, int... I> struct Product<F, std::integer_sequence<int, I...>> {
  template <int... P> static void apply(F &f) { (f.template operator()<P..., I>(), ...); }
};
template <class F, class... S> void product(F &f, S...) { Product<F, S...>::template apply<>(f); }
template <class Func, class Args> struct Caller {
  Func &func; Args &args;
  template <int... P> void operator()() { std::apply([&](auto &&...a) { func.template operator()<P...>(std::forward<decltype(a)>(a)...); }, args); }
};
}
template <class Func, class Seqs, class... Args> void dispatch(Func &&func, Seqs seqs, Args &&...args)
{
  auto tuple = std::forward_as_tuple(std::forward<Args>(args)...);
  detail::Caller<Func, decltype(tuple)> caller{func, tuple};
  std::apply([&](auto &&...s) { detail::product(caller, s...); }, seqs);
}
template <class Func> void dispatch_all(Func &&func, int n)
{
  auto seqs = std::make_tuple(std::integer_sequence<int, 1, 2>{}, std::integer_sequence<int, 5, 6, 7>{});
  dispatch(std::forward<Func>(func), seqs, n);
}
void all(float *x) { dispatch_all(Launcher{x}, 3); }

struct Table {
  template <class T> void fill(T *x, int flags);
  template <class T, bool Up> void fill_up(T *x, int flags);
  std::vector<bool> usable;
};
template <class T, bool Up, bool Twice> __global__ void fill_kernel(T *x) { x[threadIdx.x] += (Up ? 1 : -1) * (Twice ? 2 : 1); }
template <class T, bool Up> void Table::fill_up(T *x, int flags)
{
  const bool twice = flags & 2 && usable[0];
  const unsigned threads = twice ? 1 : 1 + usable.size() * 0;
  if (twice)
    fill_kernel<T, Up, true><<<1, threads>>>(x);
  else
    fill_kernel<T, Up, false><<<1, threads>>>(x);
}
template <class T> void Table::fill(T *x, int flags)
{
  const bool up = usable[flags & 1];
  auto const none = usable.capacity() ? 0 : 1;
  if (up)
    fill_up<T, true>(x + none, flags);
  else
    fill_up<T, false>(x + none, flags);
}

int main()
{
  float *x;
  int *y;
  CHECK(cudaMallocManaged(&x, 128));
  CHECK(cudaMallocManaged(&y, 128));
  for (int i = 0; i < 32; i++) x[i] = y[i] = i;
  Scaler().call({x, Type::Float}, 2.0);
  Scaler().call({y, Type::Int}, 3.0);
  CHECK(cudaDeviceSynchronize());
  bool right = true;
  for (int i = 0; i < 32; i++) right &= x[i] == 2 * i && y[i] == 3 * i;
  enum { SIZE = 77 };
  block<SIZE><<<1, 1>>>(x);
  CHECK(cudaDeviceSynchronize());
  right &= x[0] == 77;
  all(x);
  CHECK(cudaDeviceSynchronize());
  right &= x[0] == 2007;
  sizes(x, 40);
  CHECK(cudaDeviceSynchronize());
  right &= x[0] == 7;
  Table table;
  table.usable = {true, false};
  table.fill(x, 2);
  table.fill(y, 1);
  CHECK(cudaDeviceSynchronize());
  return verdict("generic dispatch", right && x[0] == 9 && y[0] == -1);
}
