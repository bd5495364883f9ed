// Cooperative groups, cudaLaunchCooperativeKernel, occupancy queries, clusters through cudaLaunchKernelEx.
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <vector>

namespace cg = cooperative_groups;

__global__ void grid_sum(const int *in, int *part, int *out, int n)
{
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  int sum = 0;
  for (int i = grid.thread_rank(); i < n; i += grid.size())
    sum += in[i];
  sum = cg::reduce(warp, sum, cg::plus<int>());
  if (warp.thread_rank() == 0)
    atomicAdd(&part[blockIdx.x], sum);
  grid.sync();
  if (grid.thread_rank() == 0)
    for (int b = 0; b < gridDim.x; b++)
      *out += part[b];
}

__global__ void __cluster_dims__(2, 1, 1) ranks(unsigned *out) { cg::cluster_group c = cg::this_cluster(); c.sync(); out[blockIdx.x] = c.block_rank(); }
template <int N> __global__ void flexible(unsigned *out) { out[blockIdx.x] = cg::this_cluster().num_blocks() * N; }

int main()
{
  int n = 10000, device = 0, blocks = 0;
  int *in, *part, *out;
  unsigned *r;
  CHECK(cudaMallocManaged(&in, n * 4)); CHECK(cudaMallocManaged(&part, 4096 * 4)); CHECK(cudaMallocManaged(&out, 4)); CHECK(cudaMallocManaged(&r, 64));
  for (int i = 0; i < n; i++) in[i] = i & 3;
  CHECK(cudaMemset(part, 0, 4096 * 4)); *out = 0;
  cudaDeviceProp prop;
  CHECK(cudaGetDeviceProperties(&prop, device));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, grid_sum, 128, 0));
  void *args[] = {&in, &part, &out, &n};
  CHECK(cudaLaunchCooperativeKernel((void *)grid_sum, std::min(blocks * prop.multiProcessorCount, 64), 128, args));
  CHECK(cudaDeviceSynchronize());
  bool right = *out == n / 4 * 6;
  ranks<<<4, 32>>>(r);
  CHECK(cudaDeviceSynchronize());
  right &= r[0] == 0 && r[1] == 1 && r[2] == 0;
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeClusterDimension;
  attribute[0].val.clusterDim.x = 4; attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {dim3(8), dim3(32), 0, 0, attribute, 1};
  CHECK(cudaLaunchKernelEx(&config, &flexible<10>, r));
  CHECK(cudaDeviceSynchronize());
  return verdict("groups", right && r[7] == 40);
}
