// SPDX-License-Identifier: Apache-2.0
// Sorts each tile by its keys; equal keys keep their order. Every key has an index with it.
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_store.cuh>

template <typename Key, int threads, int items>
__global__ void __launch_bounds__(threads)
    radix_sort(const Key *keys, Key *sorted_keys, unsigned *sorted_indices)
{
    using Load = cub::BlockLoad<Key, threads, items, cub::BLOCK_LOAD_TRANSPOSE>;
    using Sort = cub::BlockRadixSort<Key, threads, items, unsigned>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Sort::TempStorage sort;
    } scratch;

    const long long tile = static_cast<long long>(blockIdx.x) * threads * items;
    Key key[items];
    unsigned index[items];
    Load(scratch.load).Load(keys + tile, key);
    __syncthreads();
    for (int i = 0; i < items; i++) {
        index[i] = threadIdx.x * items + i;
    }
    Sort(scratch.sort).SortBlockedToStriped(key, index);
    cub::StoreDirectStriped<threads>(threadIdx.x, sorted_keys + tile, key);
    cub::StoreDirectStriped<threads>(threadIdx.x, sorted_indices + tile, index);
}
