// SPDX-License-Identifier: Apache-2.0
// Sorts each tile by a comparison that is not the type's own: by magnitude, the smallest first.
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_store.cuh>

struct SmallerMagnitude {
    template <typename T> __device__ bool operator()(T a, T b) const
    {
        return (a < T{} ? -a : a) < (b < T{} ? -b : b);
    }
};

template <typename T, int threads, int items>
__global__ void __launch_bounds__(threads) merge_sort(const T *values, T *sorted)
{
    using Load = cub::BlockLoad<T, threads, items, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
    using Sort = cub::BlockMergeSort<T, threads, items>;
    using Store = cub::BlockStore<T, threads, items, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Sort::TempStorage sort;
        typename Store::TempStorage store;
    } scratch;

    const long long tile = static_cast<long long>(blockIdx.x) * threads * items;
    T loaded[items];
    Load(scratch.load).Load(values + tile, loaded);
    __syncthreads();
    Sort(scratch.sort).StableSort(loaded, SmallerMagnitude{});
    __syncthreads();
    Store(scratch.store).Store(sorted + tile, loaded);
}
