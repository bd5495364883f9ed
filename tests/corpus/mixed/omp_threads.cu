// options: -Xcompiler -fopenmp
// OpenMP pragmas, _Pragma, thread_local streams, std::thread, std::async, condition variables.
#include "check.h"
#include <condition_variable>
#include <future>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>
#ifdef _OPENMP
#include <omp.h>
#endif
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-variable"

template <typename T> class Channel {
  std::queue<T> q_;
  std::mutex m_;
  std::condition_variable c_;
public:
  void put(T v) { { std::lock_guard l(m_); q_.push(std::move(v)); } c_.notify_one(); }
  T take() { std::unique_lock l{m_}; c_.wait(l, [&] { return !q_.empty(); }); T v = std::move(q_.front()); q_.pop(); return v; }
};

__global__ void add(int *x, int v)
{
  _Pragma("unroll 4") for (int k = 0; k < 4; k++) x[threadIdx.x * 4 + k] += v;
}

cudaStream_t stream()
{
  thread_local struct S { cudaStream_t s; S() { CHECK(cudaStreamCreate(&s)); } ~S() { cudaStreamDestroy(s); } } s;
  return s.s;
}

int main()
{
  int *x;
  CHECK(cudaMallocManaged(&x, 4 * 128 * sizeof *x));
  long sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
  for (int i = 0; i < 512; i++) {
    x[i] = i;
    sum += i;
  }
  Channel<int> results;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t, x, &results] {
      add<<<1, 32, 0, stream()>>>(x + t * 128, t);
      CHECK(cudaStreamSynchronize(stream()));
      results.put(t);
    });
  int got = 0;
  for (auto &_ : threads) got += results.take();
  for (auto &t : threads) t.join();
  auto later = std::async(std::launch::async, [] { return 5; });
  bool right = sum == 512 * 511 / 2 && got == 6 && later.get() == 5;
#pragma omp critical
  { for (int i = 0; i < 512; i++) right &= x[i] == i + i / 128; }
  return verdict("threads", right);
}
#pragma GCC diagnostic pop
