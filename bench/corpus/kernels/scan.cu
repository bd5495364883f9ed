// SPDX-License-Identifier: Apache-2.0
// Inclusive prefix sums of tiles, and each tile's total for the pass that follows.
#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>

template <typename T, int threads, int items>
__global__ void __launch_bounds__(threads) scan(const T *values, T *prefixes, T *totals)
{
    using Load = cub::BlockLoad<T, threads, items, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
    using Scan = cub::BlockScan<T, threads>;
    using Store = cub::BlockStore<T, threads, items, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Scan::TempStorage scan;
        typename Store::TempStorage store;
    } scratch;

    const long long tile = static_cast<long long>(blockIdx.x) * threads * items;
    T loaded[items];
    T total;
    Load(scratch.load).Load(values + tile, loaded);
    __syncthreads();
    Scan(scratch.scan).InclusiveSum(loaded, loaded, total);
    __syncthreads();
    Store(scratch.store).Store(prefixes + tile, loaded);
    if (threadIdx.x == 0) {
        totals[blockIdx.x] = total;
    }
}
