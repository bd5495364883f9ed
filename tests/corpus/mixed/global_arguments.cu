// Variables of the host's at namespace scope as arguments of launches and of functions that launch.
#include "check.h"

struct Extent {
  int count, step;
  Extent(int count, int step) : count(count), step(step) {}
};

template <class T> __global__ void fill(T *at, T value, int count)
{
  if (threadIdx.x < count) at[threadIdx.x] = value;
}

static float factor = 2;
namespace sizes {
int count = 32;
Extent extent(8 * 4, 1);
}
double *doubles;
char bytes[4] = {1, 2, 3, 4};

template <class T> void run(T *at, const Extent &extent) { fill<<<1, 32>>>(at, T(3), extent.count); }

int main()
{
  float *floats;
  long *longs;
  char *chars;
  CHECK(cudaMallocManaged(&doubles, 32 * sizeof *doubles));
  CHECK(cudaMallocManaged(&floats, 32 * sizeof *floats));
  CHECK(cudaMallocManaged(&longs, 32 * sizeof *longs));
  CHECK(cudaMallocManaged(&chars, 32));
  fill<<<1, 32>>>(floats, factor, sizes::count);
  fill<<<1, 32>>>(doubles, 1.0, 32);
  fill<<<1, 32>>>(chars, bytes[2], 32);
  run(longs, sizes::extent);
  CHECK(cudaDeviceSynchronize());
  return verdict("global_arguments", floats[31] == 2 && doubles[31] == 1 && chars[31] == 3 && longs[31] == 3);
}
