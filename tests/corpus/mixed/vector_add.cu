// The first program everybody writes.
#include <cstdlib>
#include <iostream>
#include <vector>
#include <cuda_runtime.h>

using namespace std;

__global__ void vectorAdd(const float *a, const float *b, float *c, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}

void checkCudaError(cudaError_t err, const char *msg)
{
  if (err != cudaSuccess) {
    cerr << msg << ": " << cudaGetErrorString(err) << endl;
    exit(EXIT_FAILURE);
  }
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 100000;
  vector<float> a(n), b(n), c(n);
  for (int i = 0; i < n; i++) {
    a[i] = i;
    b[i] = 2 * i;
  }
  float *d_a, *d_b, *d_c;
  checkCudaError(cudaMalloc((void **)&d_a, n * sizeof(float)), "a");
  checkCudaError(cudaMalloc((void **)&d_b, n * sizeof(float)), "b");
  checkCudaError(cudaMalloc((void **)&d_c, n * sizeof(float)), "c");
  cudaMemcpy(d_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  vectorAdd<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);
  checkCudaError(cudaGetLastError(), "launch");
  checkCudaError(cudaMemcpy(c.data(), d_c, n * sizeof(float), cudaMemcpyDeviceToHost), "copy");
  for (int i = 0; i < n; i++)
    if (c[i] != a[i] + b[i]) {
      cout << "wrong at " << i << endl;
      return 1;
    }
  cout << "right" << endl;
  cudaFree(d_a), cudaFree(d_b), cudaFree(d_c);
  return 0;
}
