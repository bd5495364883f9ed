// options: -std=c++14
// cuRAND's device functions in C++14, which its headers take from nvcc; static functions as arguments of templates.
#include "check.h"
#include <curand_kernel.h>
#include <memory>
#include <vector>

typedef float (*transform_t)(float);
static __device__ float square(float x) { return x * x; }
static __device__ __forceinline__ float half_of(float x) { return x / 2; }

template <transform_t Transform, class Generator> __global__ void fill(float *x, int n, unsigned long long seed)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Generator state;
  curand_init(seed, i, 0, &state);
  if (i < n) x[i] = Transform(curand_uniform(&state));
}

template <transform_t Transform> static void fill_with(float *x, int n, bool quasi)
{
  if (quasi)
    fill<Transform, curandStatePhilox4_32_10_t><<<(n + 255) / 256, 256>>>(x, n, 7);
  else
    fill<Transform, curandStateXORWOW_t><<<(n + 255) / 256, 256>>>(x, n, 7);
}

int main()
{
  float *x;
  CHECK(cudaMallocManaged(&x, 1000 * sizeof *x));
  std::unique_ptr<std::vector<float>> means(new std::vector<float>);
  for (bool quasi : {false, true}) {
    float sum = 0;
    fill_with<square>(x, 1000, quasi);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 1000; i++) sum += x[i] / 1000;
    fill_with<half_of>(x, 1000, quasi);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 1000; i++) sum += x[i] / 1000;
    means->push_back(sum);
  }
  return verdict("curand in C++14", (*means)[0] > 0.5f && (*means)[0] < 0.66f && (*means)[1] > 0.5f && (*means)[1] < 0.66f);
}
