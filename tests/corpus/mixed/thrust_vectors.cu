// options: --extended-lambda
// optional: ^_ZN(3cub|6thrust) Thrust picks its kernels where host code runs
// Thrust's containers in host code, a kernel of one's own beside them.
#include "check.h"
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

struct Model {
  thrust::device_vector<float> weights;
  thrust::host_vector<float> staging;
  explicit Model(std::size_t n) : weights(n, 1.0f), staging(n) {}
};

__global__ void square(float *x, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] *= x[i];
}

struct plus_one { __host__ __device__ float operator()(float v) const { return v + 1; } };

int main()
{
  Model m(1000);
  thrust::transform(m.weights.begin(), m.weights.end(), m.weights.begin(), plus_one{});
  square<<<4, 256>>>(thrust::raw_pointer_cast(m.weights.data()), 1000);
  thrust::sort(m.weights.begin(), m.weights.end(), thrust::greater<float>());
  m.staging = m.weights;
  float sum = thrust::reduce(m.weights.begin(), m.weights.end(), 0.0f, thrust::plus<float>());
  return verdict("thrust", sum == 4000 && m.staging[999] == 4);
}
