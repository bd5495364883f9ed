// Lambdas everywhere on the host: namespace scope, default arguments, members, generic, recursive, immediately called.
#include "check.h"
#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace detail {
auto add = [](auto a, auto b) { return a + b; };
const auto join = [](const std::vector<std::string> &parts) -> std::string {
  return std::accumulate(parts.begin(), parts.end(), std::string{}, [](std::string a, const std::string &b) { return a.empty() ? b : a + "," + b; });
};
static const int computed = [] { int s = 0; for (int i = 0; i < 10; i++) { s += i; } return s; }();
std::function<int(int)> fib = [](int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); };
inline constexpr auto square = [](int v) constexpr { return v * v; };
} // namespace detail

template <int N> struct table_of { int v[N]; };
constexpr auto make_table = []() { table_of<8> t{}; for (int i = 0; i < 8; i++) t.v[i] = detail::square(i); return t; };

__global__ void add_table(int *x, table_of<8> t) { x[threadIdx.x] += t.v[threadIdx.x % 8]; }

struct Job {
  std::function<void()> run = [] {};
  int (*op)(int, int) = [](int a, int b) { return a < b ? a : b; };
  std::vector<int> order{[] { return std::vector<int>{3, 2, 1}; }()};
  void each(const std::function<void(int)> &f = [](int) {}) const { std::for_each(order.begin(), order.end(), f); }
};

void for_steps(int n, std::function<void(int, cudaStream_t)> step = [](int, cudaStream_t) { std::puts("step"); })
{
  for (int i = 0; i < n; i++)
    step(i, nullptr);
}

int main()
{
  int *x;
  CHECK(cudaMallocManaged(&x, 32 * sizeof *x));
  std::fill_n(x, 32, detail::computed);
  auto launch = [&, t = make_table()](int times) mutable { while (times-- > 0) add_table<<<1, 32>>>(x, t); };
  launch(2);
  for_steps(1, [x](int, cudaStream_t s) { add_table<<<dim3{1}, dim3{32}, 0, s>>>(x, make_table()); });
  Job job;
  job.run = [&]() noexcept { CHECK(cudaDeviceSynchronize()); };
  job.run();
  job.each();
  bool right = detail::fib(10) == 55 && detail::add(1, 2) == 3 && detail::join({"a", "b"}) == "a,b" && job.op(1, 2) == 1;
  for (int i = 0; i < 32; i++)
    right &= x[i] == 45 + 3 * (i % 8) * (i % 8);
  return verdict("lambdas", right);
}
