// SPDX-License-Identifier: Apache-2.0
// The first pass of a reduction: each block sums every gridDim.x-th tile.
#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>

template <typename T, int threads, int items>
__global__ void __launch_bounds__(threads) reduce(const T *values, T *sums, int tiles)
{
    using Load = cub::BlockLoad<T, threads, items, cub::BLOCK_LOAD_VECTORIZE>;
    using Reduce = cub::BlockReduce<T, threads>;
    __shared__ typename Reduce::TempStorage scratch;

    T sum{};
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        T loaded[items];
        Load().Load(values + static_cast<long long>(tile) * threads * items, loaded);
        for (T value : loaded) {
            sum += value;
        }
    }
    sum = Reduce(scratch).Sum(sum);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
    }
}
