// cuRAND on the device and the host's generator type in a class.
#include "check.h"
#include <cmath>
#include <curand.h>
#include <curand_kernel.h>
#include <random>
#include <vector>

class Generator {
  curandGenerator_t handle_ = nullptr;
  std::mt19937_64 host_{42};
  std::uniform_real_distribution<float> uniform_{0, 1};
public:
  curandStatus_t status() const { return CURAND_STATUS_SUCCESS; }
  float draw() { return uniform_(host_); }
};

template <class State> __global__ void count_inside(unsigned long long *inside, int per_thread, unsigned long long seed)
{
  State state;
  curand_init(seed, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
  unsigned long long hits = 0;
  for (int k = 0; k < per_thread; k++) {
    float x = curand_uniform(&state), y = curand_uniform(&state);
    hits += x * x + y * y <= 1.0f;
  }
  atomicAdd(inside, hits);
}

template <class State> static double estimate(const char *name)
{
  unsigned long long *inside;
  CHECK(cudaMallocManaged(&inside, sizeof *inside));
  *inside = 0;
  count_inside<State><<<32, 128>>>(inside, 100, 7);
  CHECK(cudaDeviceSynchronize());
  double pi = 4.0 * *inside / (32 * 128 * 100);
  std::cout << name << " " << pi << "\n";
  return pi;
}

int main()
{
  Generator g;
  bool right = std::fabs(estimate<curandStatePhilox4_32_10_t>("philox") - 3.14159) < 0.03;
  right &= std::fabs(estimate<curandStateXORWOW_t>("xorwow") - 3.14159) < 0.03;
  return verdict("pi", right && g.draw() < 1);
}
