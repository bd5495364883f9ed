// Launches in members, of static members' templates, by typedefs, in constructors and destructors, in ?: and loops.
#include "check.h"
#include <array>
#include <memory>
#include <vector>

template <typename T, unsigned N> __global__ void add_n(T *x) { x[threadIdx.x] += N; }
template <typename A, typename B> struct Both { A a; B b; };
template <typename P> __global__ void sum_pair(const P *p, float *out) { out[threadIdx.x] = p[threadIdx.x].a + p[threadIdx.x].b; }
template <typename T> struct Policy { enum { threads = 32, amount = 3 }; typedef T type; };

template <typename T> class Engine {
  typedef Both<T, int> pair_t;
  static constexpr unsigned kStep = sizeof(T) > 4 ? 10u : 20u;
  T *x_;
  cudaStream_t s_ = 0;
  static inline const std::vector<int> steps{1, 2, 3};
public:
  explicit Engine(T *x) : x_((add_n<T, 1><<<1, 32>>>(x), x)) {}
  ~Engine() { add_n<T, kStep / 5><<<1, 32, 0, s_>>>(x_); }
  void step() { for (auto s : steps) (void)s, add_n<T, kStep><<<1, 32, 0, s_>>>(x_); }
  static void pairs(const pair_t *p, float *out);
  template <class P = Policy<T>> void with() const { add_n<typename P::type, P::amount><<<1, P::threads>>>(x_); }
};
template <typename T> void Engine<T>::pairs(const pair_t *p, float *out) { sum_pair<pair_t><<<1, 32>>>(p, out); }

struct Op { template <int K> static void go(int *x) { add_n<int, K * 100><<<dim3(1, 1, 1), dim3{32, 1, 1}>>>(x); } };

int main()
{
  int *x; double *y; float *out; Both<int, int> *p;
  CHECK(cudaMallocManaged(&x, 128)); CHECK(cudaMallocManaged(&y, 256)); CHECK(cudaMallocManaged(&out, 128)); CHECK(cudaMallocManaged(&p, 256));
  for (int i = 0; i < 32; i++) x[i] = 0, y[i] = 0, p[i] = {i, 2 * i};
  { Engine<int> e(x); e.step(); e.with<>(); Engine<int>::pairs(p, out); }
  { auto e = std::make_unique<Engine<double>>(y); e->step(); e->with(); }
  Op::go<2>(x), Op{}.go<1>(x);
  bool flag = x != nullptr;
  flag ? add_n<int, 1000><<<1, 32>>>(x) : add_n<int, 2000><<<1, 32>>>(x);
  CHECK(cudaDeviceSynchronize());
  bool right = x[5] == 1 + 60 + 3 + 4 + 300 + 1000 && y[31] == 1 + 30 + 3 + 2 && out[7] == 21;
  return verdict("members", right);
}
