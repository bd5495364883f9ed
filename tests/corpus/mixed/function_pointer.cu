// Launches through function pointers, tables of them, and the runtime's own calls.
#include "check.h"
#include <map>
#include <string>

typedef void (*kernel_t)(float *, int);

__global__ void twice(float *x, int n)
{
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n)
    x[i] *= 2;
}

__global__ void minus_one(float *x, int n)
{
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n)
    x[i] -= 1;
}

template <int P> __global__ void plus(float *x, int n)
{
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n)
    x[i] += P;
}

template <int A, int B, bool N> __global__ void mix(float *x, int n)
{
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n)
    x[i] += N ? -A * B : A * B;
}

static const kernel_t table[] = {twice, minus_one, plus<3>, &plus<40>};
static const std::map<std::string, kernel_t> by_name{{"twice", twice}, {"minus_one", minus_one}, {"plus 500", &plus<500>}};

void run(kernel_t k, float *x, int n, cudaStream_t s = 0)
{
  k<<<(n + 127) / 128, 128, 0, s>>>(x, n);
}

template <int A, int B> void run_mixed(float *x, int n)
{
  constexpr bool negative = true;
  kernel_t add = mix<A, B, false>, subtract = mix<A, B, negative>;
  run(add, x, n);
  run(subtract, x, n);
  run(subtract, x, n);
}

int main()
{
  const int n = 1000;
  int count = n;
  float *x;
  CHECK(cudaMallocManaged(&x, n * sizeof *x));
  for (int i = 0; i < n; i++)
    x[i] = i;
  for (kernel_t k : table)
    run(k, x, n); // 2x + 42
  for (auto &[name, k] : by_name)
    run(k, x, n); // minus_one, plus 500, twice: 4x + 1082
  run_mixed<3, 5>(x, n); // 4x + 1067
  run_mixed<-5, 3>(x, n); // 4x + 1082
  void *args[] = {&x, &count};
  CHECK(cudaLaunchKernel((const void *)plus<7>, dim3(8), dim3(128), args, 0, 0));
  cudaLaunchConfig_t config = {};
  config.gridDim = 8;
  config.blockDim = 128;
  CHECK(cudaLaunchKernelEx(&config, twice, x, count));
  CHECK(cudaDeviceSynchronize());
  bool right = true;
  for (int i = 0; i < n; i++)
    right &= x[i] == 2 * (4.0f * i + 1082 - 0 + 7) || (std::printf("%d %g\n", i, x[i]), false);
  return verdict("pointers", right);
}
