// Kernels of a header and of the file that includes it twice.
#include "kernels.cuh"
#include "kernels.cuh"
#include "check.h"
#include "vec.h"

void clear(float *x, int n, cudaStream_t stream) { clear_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, n); }
std::string describe(const cudaDeviceProp &prop) { return prop.name + std::string(", ") + std::to_string(prop.multiProcessorCount); }
cudaError_t last_error() noexcept { return cudaGetLastError(); }

__global__ void lengths(const Vec3f *v, float *out) { out[threadIdx.x] = warp_sum<4>(v[threadIdx.x].length()); }

int main()
{
  float *x;
  Vec3f *v;
  CHECK(cudaMallocManaged(&x, 32 * sizeof *x));
  CHECK(cudaMallocManaged(&v, 32 * sizeof *v));
  for (int i = 0; i < 32; i++)
    v[i] = Vec3f(3 * i, 4 * i, 0);
  clear(x, 32);
  lengths<<<1, 32>>>(v, x);
  increment(x, 32, 2);
  CHECK(cudaDeviceSynchronize());
  bool right = last_error() == cudaSuccess;
  for (int i = 0; i < 32; i++) {
    int first = i / 4 * 4;
    right &= x[i] == 5 * (4 * first + 6) + 2;
  }
  return verdict("header", right);
}
