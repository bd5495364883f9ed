// Conditions on both sides of a brace, inside declarations, and around half a function.
#include "check.h"
#ifndef __CUDACC_RTC__
#include <string>
#include <vector>
#endif
#define USE_DOUBLE 0
#define WITH_BIAS 1

#if USE_DOUBLE
typedef double real;
#else
typedef float real;
#endif

#ifdef NOT_DEFINED_ANYWHERE
__global__ void saxpy(real a, const real *x, real *y, int n, int extra) {
#else
__global__ void saxpy(real a, const real *x, real *y, int n)
{
#endif
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#if WITH_BIAS
  if (i < n) {
    y[i] += 1;
#else
  {
#endif
    y[i] += a * x[i];
  }
}

static void report(const char *name
#if USE_DOUBLE
                   , double value) {
#else
                   , float value)
{
#endif
  std::printf("%s %g\n", name, (double)value);
#if 0
} this is not C++ at all: it's { unbalanced, and has a ' in it
#endif
}

__host__ __device__ inline real bias()
{
#ifdef __CUDA_ARCH__
  return real(1);
#else
  static const std::vector<real> values(3, real(1));
  return values.at(1);
#endif
}

#ifdef __CUDA_ARCH__
__device__ real only_device() { return 3; }
#else
real only_host() { return 3; }
#endif
real only_host();

__global__ void biased(real *y) { y[threadIdx.x] *= bias() + 1; }

int
main
(
#if !defined(NO_ARGUMENTS)
  int argc, char **argv
#endif
)
{
  real *x, *y;
  CHECK(cudaMallocManaged(&x, 256 * sizeof *x));
  CHECK(cudaMallocManaged(&y, 256 * sizeof *y));
  for (int i = 0; i < 256; i++)
    x[i] = i, y[i] = -i;
  saxpy<<<1, 256>>>(2, x, y, 256);
  biased<<<1, 256>>>(y);
  CHECK(cudaDeviceSynchronize());
  report("y[9]", y[9]);
  bool right = only_host() == 3;
  for (int i = 0; i < 256; i++) {
    right &= y[i] == (i + 1) * 2;
#ifdef DEBUG
    if (!right) {
      report("wrong", y[i]);
#else
    {
#endif
    }
  }
  return verdict("saxpy", right);
}
