// cuda::std on both sides, std's own on the host.
#include "check.h"
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <complex>
#include <optional>
#include <vector>

using Complex = cuda::std::complex<float>;
static std::optional<std::complex<double>> host_root(double v) { if (v < 0) return std::nullopt; return std::complex<double>(v); }
__host__ __device__ cuda::std::optional<float> root(float v) { if (v < 0) return cuda::std::nullopt; return sqrtf(v); }

__global__ void roots(cuda::std::span<float> x, Complex z, cuda::std::array<int, 2> k)
{
  auto i = threadIdx.x;
  if (i < x.size())
    x[i] = root(x[i]).value_or(-1) + (z * z).real() + k[0];
}

__global__ void count(cuda::atomic<int, cuda::thread_scope_device> *n, cuda::std::tuple<int, float> t) { n->fetch_add(cuda::std::get<0>(t), cuda::std::memory_order_relaxed); }

int main()
{
  float *x;
  cuda::atomic<int, cuda::thread_scope_device> *n;
  CHECK(cudaMallocManaged(&x, 64 * sizeof *x));
  CHECK(cudaMallocManaged(&n, sizeof *n));
  new (n) cuda::atomic<int, cuda::thread_scope_device>(0);
  for (int i = 0; i < 64; i++) x[i] = i == 63 ? -4 : i * i;
  roots<<<1, 64>>>({x, 64}, {2, 1}, {10, 20});
  count<<<2, 32>>>(n, {3, 1.0f});
  CHECK(cudaDeviceSynchronize());
  bool right = n->load() == 192 && host_root(-1) == std::nullopt && x[63] == -1 + 3 + 10;
  for (int i = 0; i < 63; i++) right &= x[i] == i + 13;
  return verdict("cuda::std", right);
}
