// options: --extended-lambda
// Lambdas of both sides given to kernels, made in functions of namespaces and classes.
// differs: nvcc puts a __host__ __device__ lambda into a wrapper of 16 bytes; here it is the lambda.
#include "check.h"
#include <functional>
#include <string>
#include <vector>

template <class F> __global__ void for_each_kernel(int n, F f)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    f(i);
}

template <class F> void for_each(int n, F f, cudaStream_t s = 0) { for_each_kernel<<<(n + 127) / 128, 128, 0, s>>>(n, f); }

namespace sim {
struct World {
  float *x;
  int n;
  std::vector<std::string> names;
  void step(float dt)
  {
    float *local = x;
    for_each(n, [=] __device__(int i) { local[i] += dt; });
  }
};
} // namespace sim

int main()
{
  sim::World w{nullptr, 300, {"a"}};
  CHECK(cudaMallocManaged(&w.x, w.n * sizeof *w.x));
  float *x = w.x;
  auto set = [x] __host__ __device__(int i) { x[i] = i; };
  for_each(w.n, set);
  w.step(0.5f);
  CHECK(cudaDeviceSynchronize());
  bool right = true;
  for (int i = 0; i < w.n; i++)
    right &= x[i] == i + 0.5f;
  set(3);
  return verdict("lambdas", right && x[3] == 3);
}
