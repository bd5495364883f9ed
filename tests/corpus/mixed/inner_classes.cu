// Classes in functions, classes in classes in templates, kernels' parameters of those types, local enums.
#include "check.h"
#include <memory>
#include <set>
#include <string>
#include <vector>

template <class T> class Solver {
public:
  struct Config { T tolerance = T(1e-3); int iterations{10}; std::string *label = nullptr; };
  class State {
    friend class Solver;
    T *x = nullptr;
    int n = 0;
  public:
    __device__ T &operator[](int i) { return x[i]; }
    __device__ int size() const { return n; }
    struct Less { bool operator()(const State &a, const State &b) const { return a.n < b.n; } };
  };
  explicit Solver(int n, Config c = {});
  ~Solver() { cudaFree(state_.x); for (auto *p : owned_) delete p; }
  T solve();
private:
  enum class Phase { start, run, done } phase_ = Phase::start;
  State state_;
  Config config_;
  std::set<std::string *> owned_;
};

template <class T> __global__ void relax(typename Solver<T>::State s, T tolerance)
{
  for (int i = threadIdx.x; i < s.size(); i += blockDim.x)
    s[i] = (s[i] + T(2) / s[i]) / 2 + tolerance * 0;
}

template <class T> Solver<T>::Solver(int n, typename Solver<T>::Config c) : config_(c)
{
  state_.n = n;
  CHECK(cudaMallocManaged(&state_.x, n * sizeof(T)));
  for (int i = 0; i < n; i++)
    state_.x[i] = i + 1;
  if (!config_.label)
    owned_.insert(config_.label = new std::string("solver"));
}

template <class T> T Solver<T>::solve()
{
  struct Guard { Phase &p; explicit Guard(Phase &q) : p(q) { p = Phase::run; } ~Guard() { p = Phase::done; } } guard{phase_};
  for (int k = 0; k < config_.iterations; k++)
    relax<T><<<1, 64>>>(state_, config_.tolerance);
  CHECK(cudaDeviceSynchronize());
  return state_.x[state_.n - 1];
}
template class Solver<float>;

int main()
{
  Solver<double>::Config config;
  config.iterations = 12;
  return verdict("solver", std::abs(Solver<double>(100, config).solve() - 1.41421356237) < 1e-6 && std::abs(Solver<float>(9).solve() - 1.414214f) < 1e-4);
}
