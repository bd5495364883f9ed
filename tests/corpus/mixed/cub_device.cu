// optional: ^_ZN3cub CUB picks its kernels where host code runs
// CUB's device-wide algorithms in host code, its block-wide ones in a kernel.
#include "check.h"
#include <cub/block/block_reduce.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <memory>
#include <vector>

template <int Threads> __global__ void block_sums(const int *in, int *out)
{
  using Reduce = cub::BlockReduce<int, Threads>;
  __shared__ typename Reduce::TempStorage temp;
  int sum = Reduce(temp).Sum(in[blockIdx.x * Threads + threadIdx.x]);
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

int main()
{
  int *in, *out;
  CHECK(cudaMallocManaged(&in, 1024 * sizeof *in));
  CHECK(cudaMallocManaged(&out, 1024 * sizeof *out));
  for (int i = 0; i < 1024; i++)
    in[i] = i % 7;
  std::size_t bytes = 0;
  CHECK(cub::DeviceReduce::Sum(nullptr, bytes, in, out, 1024));
  void *temp;
  CHECK(cudaMalloc(&temp, bytes + 4096));
  CHECK(cub::DeviceReduce::Sum(temp, bytes, in, out, 1024));
  CHECK(cudaDeviceSynchronize());
  int total = *out, wanted = 0, blocks = 0;
  block_sums<128><<<8, 128>>>(in, out);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 1024; i++)
    wanted += in[i];
  for (int i = 0; i < 8; i++)
    blocks += out[i];
  return verdict("sums", total == wanted && blocks == wanted);
}
