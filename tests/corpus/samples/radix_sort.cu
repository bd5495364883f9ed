// SPDX-License-Identifier: Apache-2.0
// A block's keys, sorted by CUB.
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_store.cuh>

template <typename Key, int BLOCK_THREADS, int ITEMS_PER_THREAD>
__launch_bounds__(BLOCK_THREADS) __global__ void BlockSortKernel(const Key *d_in, Key *d_out)
{
    using BlockLoadT = cub::BlockLoad<Key, BLOCK_THREADS, ITEMS_PER_THREAD, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
    using BlockStoreT = cub::BlockStore<Key, BLOCK_THREADS, ITEMS_PER_THREAD, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    using BlockRadixSortT = cub::BlockRadixSort<Key, BLOCK_THREADS, ITEMS_PER_THREAD>;
    __shared__ union {
        typename BlockLoadT::TempStorage load;
        typename BlockStoreT::TempStorage store;
        typename BlockRadixSortT::TempStorage sort;
    } temp_storage;
    Key items[ITEMS_PER_THREAD];
    int block_offset = blockIdx.x * (BLOCK_THREADS * ITEMS_PER_THREAD);
    BlockLoadT(temp_storage.load).Load(d_in + block_offset, items);
    __syncthreads();
    BlockRadixSortT(temp_storage.sort).Sort(items);
    __syncthreads();
    BlockStoreT(temp_storage.store).Store(d_out + block_offset, items);
}
