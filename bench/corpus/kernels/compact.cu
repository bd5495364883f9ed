// SPDX-License-Identifier: Apache-2.0
// Stream compaction: each tile keeps what is above a floor, in order, at the tile's beginning.
#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>

template <typename T, int threads, int items>
__global__ void __launch_bounds__(threads) compact(const T *values, T *kept, int *counts, T floor)
{
    using Load = cub::BlockLoad<T, threads, items, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
    using Scan = cub::BlockScan<int, threads>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Scan::TempStorage scan;
    } scratch;

    const long long tile = static_cast<long long>(blockIdx.x) * threads * items;
    T loaded[items];
    int place[items];
    int count;
    Load(scratch.load).Load(values + tile, loaded);
    __syncthreads();
    for (int i = 0; i < items; i++) {
        place[i] = loaded[i] > floor;
    }
    Scan(scratch.scan).ExclusiveSum(place, place, count);
    for (int i = 0; i < items; i++) {
        if (loaded[i] > floor) {
            kept[tile + place[i]] = loaded[i];
        }
    }
    if (threadIdx.x == 0) {
        counts[blockIdx.x] = count;
    }
}
