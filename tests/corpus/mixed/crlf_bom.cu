// Lines that end as on Windows, after a mark of UTF-8, with host names that are not ASCII.
#include "check.h"
#include <map>
#include <string>

static std::string grüße = "grüß dich {";
#define LONG_MACRO(a) \
  a + \
  1

__device__ float height(float v) { return v * 2; }
__global__ void miller(float *x)
{
  x[threadIdx.x] = height(x[threadIdx.x]) + LONG_MACRO(2);
}

int main()
{
  float *x;
  CHECK(cudaMallocManaged(&x, 128));
  for (int i = 0; i < 32; i++)
    x[i] = i;
  miller<<<1, 32>>>(x);
  CHECK(cudaDeviceSynchronize());
  return verdict(grüße.c_str(), x[5] == 13);
}
