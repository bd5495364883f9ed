// SPDX-License-Identifier: Apache-2.0
// How often each of 256 values occurs: each block counts in shared memory, then adds to the grid's counts.
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>

template <cub::BlockHistogramAlgorithm algorithm, int threads, int items>
__global__ void __launch_bounds__(threads)
    histogram(const unsigned char *samples, unsigned *counts, int tiles)
{
    constexpr int bins = 256;
    using Load = cub::BlockLoad<unsigned char, threads, items, cub::BLOCK_LOAD_VECTORIZE>;
    using Histogram = cub::BlockHistogram<unsigned char, threads, items, bins, algorithm>;
    __shared__ typename Histogram::TempStorage scratch;
    __shared__ unsigned block_counts[bins];

    Histogram(scratch).InitHistogram(block_counts);
    __syncthreads();
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        unsigned char loaded[items];
        Load().Load(samples + static_cast<long long>(tile) * threads * items, loaded);
        Histogram(scratch).Composite(loaded, block_counts);
        __syncthreads();
    }
    for (int bin = threadIdx.x; bin < bins; bin += threads) {
        atomicAdd(&counts[bin], block_counts[bin]);
    }
}
