// A switch over block sizes, each case an instance.
#include "check.h"
#include <numeric>
#include <vector>

template <class T, unsigned int blockSize> __global__ void reduce(const T *in, T *out, unsigned int n)
{
  __shared__ T sdata[blockSize];
  unsigned int tid = threadIdx.x;
  T sum = 0;
  for (unsigned int i = blockIdx.x * blockSize + tid; i < n; i += blockSize * gridDim.x)
    sum += in[i];
  sdata[tid] = sum;
  __syncthreads();
  if (blockSize >= 512) { if (tid < 256) { sdata[tid] += sdata[tid + 256]; } __syncthreads(); }
  if (blockSize >= 256) { if (tid < 128) { sdata[tid] += sdata[tid + 128]; } __syncthreads(); }
  if (blockSize >= 128) { if (tid < 64) { sdata[tid] += sdata[tid + 64]; } __syncthreads(); }
  for (unsigned int s = 32; s; s >>= 1) {
    if (tid < s)
      sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0)
    out[blockIdx.x] = sdata[0];
}

template <class T> void reduce_any(int threads, int blocks, const T *in, T *out, unsigned n)
{
  dim3 dimBlock(threads, 1, 1), dimGrid(blocks, 1, 1);
  switch (threads) {
  case 512:
    reduce<T, 512><<<dimGrid, dimBlock>>>(in, out, n);
    break;
  case 256: reduce<T, 256><<<dimGrid, dimBlock, 0>>>(in, out, n); break;
  case 128: reduce<T, 128><<<dimGrid, dimBlock, 0, 0>>>(in, out, n); break;
  case 64: {
    reduce<T, 64><<<dimGrid, dimBlock>>>(in, out, n);
    break;
  }
  default: std::fprintf(stderr, "no such block: %d\n", threads); std::exit(2);
  }
}

int main(int argc, char *argv[])
{
  const unsigned n = 1 << 20;
  std::vector<int> host(n);
  std::iota(host.begin(), host.end(), 0);
  for (auto &v : host)
    v %= 1000;
  int *in, *out;
  CHECK(cudaMalloc(&in, n * sizeof *in));
  CHECK(cudaMalloc(&out, 64 * sizeof *out));
  CHECK(cudaMemcpy(in, host.data(), n * sizeof *in, cudaMemcpyHostToDevice));
  bool right = true;
  for (int threads : {64, 128, 256, 512}) {
    reduce_any(threads, 64, in, out, n);
    int part[64];
    CHECK(cudaMemcpy(part, out, sizeof part, cudaMemcpyDeviceToHost));
    right &= std::accumulate(part, part + 64, 0LL) == std::accumulate(host.begin(), host.end(), 0LL);
  }
  return verdict(argv[0], right);
}
