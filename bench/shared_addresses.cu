// SPDX-License-Identifier: Apache-2.0
// Block-wide algorithms of CUB that exchange values through shared memory, for shared_addresses.sh. Each
// block works on its own tile of BLOCK × ITEMS elements.
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>

template <typename T, int Block, int Items> __device__ void scan(const T *in, T *out)
{
    using Load = cub::BlockLoad<T, Block, Items, cub::BLOCK_LOAD_TRANSPOSE>;
    using Scan = cub::BlockScan<T, Block>;
    using Store = cub::BlockStore<T, Block, Items, cub::BLOCK_STORE_TRANSPOSE>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Scan::TempStorage scan;
        typename Store::TempStorage store;
    } scratch;
    const int tile = blockIdx.x * Block * Items;
    T items[Items];
    Load(scratch.load).Load(in + tile, items);
    __syncthreads();
    Scan(scratch.scan).InclusiveSum(items, items);
    __syncthreads();
    Store(scratch.store).Store(out + tile, items);
}

extern "C" __global__ void __launch_bounds__(128) scan_float_4(const float *in, float *out)
{
    scan<float, 128, 4>(in, out);
}

extern "C" __global__ void __launch_bounds__(128) scan_double_8(const double *in, double *out)
{
    scan<double, 128, 8>(in, out);
}

extern "C" __global__ void __launch_bounds__(256) scan_int_16(const int *in, int *out)
{
    scan<int, 256, 16>(in, out);
}

template <typename T, int Block, int Items> __device__ void sort(const T *in, T *out)
{
    using Sort = cub::BlockRadixSort<T, Block, Items>;
    __shared__ typename Sort::TempStorage scratch;
    const int tile = blockIdx.x * Block * Items;
    T items[Items];
    cub::LoadDirectBlocked(threadIdx.x, in + tile, items);
    Sort(scratch).Sort(items);
    cub::StoreDirectBlocked(threadIdx.x, out + tile, items);
}

extern "C" __global__ void __launch_bounds__(128) sort_unsigned_8(const unsigned *in, unsigned *out)
{
    sort<unsigned, 128, 8>(in, out);
}

extern "C" __global__ void __launch_bounds__(256) sort_double_4(const double *in, double *out)
{
    sort<double, 256, 4>(in, out);
}

extern "C" __global__ void __launch_bounds__(128) reduce_double_8(const double *in, double *out)
{
    using Load = cub::BlockLoad<double, 128, 8, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
    using Reduce = cub::BlockReduce<double, 128, cub::BLOCK_REDUCE_RAKING>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Reduce::TempStorage reduce;
    } scratch;
    double items[8];
    Load(scratch.load).Load(in + blockIdx.x * 1024, items);
    __syncthreads();
    const double sum = Reduce(scratch.reduce).Sum(items);
    if (threadIdx.x == 0) {
        out[blockIdx.x] = sum;
    }
}

extern "C" __global__ void __launch_bounds__(128) histogram_8(const unsigned char *in, unsigned *out)
{
    using Histogram = cub::BlockHistogram<unsigned char, 128, 8, 256>;
    __shared__ typename Histogram::TempStorage scratch;
    __shared__ unsigned bins[256];
    unsigned char items[8];
    cub::LoadDirectBlocked(threadIdx.x, in + blockIdx.x * 1024, items);
    Histogram(scratch).Histogram(items, bins);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += 128) {
        out[blockIdx.x * 256 + i] = bins[i];
    }
}
