// SPDX-License-Identifier: Apache-2.0
// One block sums one segment: CUB loads a tile for the whole block and reduces it.
#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>

// in          values of all segments, one after the other
// offsets     segments + 1 positions in `in`: segment s is in[offsets[s]] .. in[offsets[s + 1] - 1]
// out         one sum for each segment; an empty segment sums to zero
// Launch with BlockThreads threads and one block for each segment.
template <typename T, typename Offset, int BlockThreads, int ItemsPerThread>
__global__ void __launch_bounds__(BlockThreads) segsum(const T *in, const Offset *offsets, T *out)
{
    using BlockLoad = cub::BlockLoad<T, BlockThreads, ItemsPerThread, cub::BLOCK_LOAD_STRIPED>;
    using BlockReduce = cub::BlockReduce<T, BlockThreads>;
    __shared__ typename BlockReduce::TempStorage scratch;

    constexpr Offset tile = BlockThreads * ItemsPerThread;
    const Offset end = offsets[blockIdx.x + 1];
    T sum{};
#pragma unroll 1 // the loads of one tile already keep the memory busy
    for (Offset at = offsets[blockIdx.x]; at < end; at += tile) {
        T items[ItemsPerThread];
        BlockLoad().Load(in + at, items, static_cast<int>(end - at), T{});
        for (T item : items) {
            sum += item;
        }
    }
    sum = BlockReduce(scratch).Sum(sum);
    if (threadIdx.x == 0) {
        out[blockIdx.x] = sum;
    }
}
