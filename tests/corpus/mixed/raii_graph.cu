// Streams, events and a graph in RAII wrappers.
#include "buffer.hpp"
#include "timer.h"
#include <cstdio>
#include <functional>
#include <memory>

__global__ void advance(float *x, float dt, int n)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += dt;
}

namespace {
class Stream {
public:
  Stream() { mem::need(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "stream"); }
  ~Stream() noexcept(false) { cudaStreamDestroy(s); }
  operator cudaStream_t() const & { return s; }
  Stream(Stream &&) = delete;
private:
  cudaStream_t s{};
};

struct EventDeleter { void operator()(cudaEvent_t e) const { cudaEventDestroy(e); } };
using EventPtr = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, EventDeleter>;

EventPtr make_event() { cudaEvent_t e; mem::need(cudaEventCreate(&e), "event"); return EventPtr{e}; }

class Graph {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
public:
  template <class F> Graph(cudaStream_t s, F &&record)
  {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    std::forward<F>(record)(s);
    cudaStreamEndCapture(s, &graph);
    mem::need(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
  }
  void launch(cudaStream_t s) const { mem::need(cudaGraphLaunch(exec, s), "launch"); }
  ~Graph() { if (exec) cudaGraphExecDestroy(exec); if (graph) cudaGraphDestroy(graph); }
};
} // namespace

int main() try {
  Timer timer("main");
  const int n = 4096;
  mem::buffer<float> x(std::vector<float>(n, 1.0f));
  Stream stream;
  auto begin = make_event(), end = make_event();
  Graph steps(stream, [&](cudaStream_t s) {
    for (int k = 0; k < 8; k++)
      advance<<<n / 256, 256, 0, s>>>(x.data(), 0.25f, n);
  });
  cudaEventRecord(begin.get(), stream);
  for (int k = 0; k < 4; k++)
    steps.launch(stream);
  cudaEventRecord(end.get(), stream);
  mem::need(cudaStreamSynchronize(stream), "run");
  float ms = 0;
  cudaEventElapsedTime(&ms, begin.get(), end.get());
  for (float v : x.get())
    if (v != 9.0f)
      throw std::logic_error("not 9 but " + std::to_string(v));
  std::printf("right, %.3f ms\n", ms);
  return 0;
} catch (const mem::error &e) {
  std::fprintf(stderr, "%s (%d)\n", e.what(), int(e.code));
  return 2;
} catch (const std::exception &e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
