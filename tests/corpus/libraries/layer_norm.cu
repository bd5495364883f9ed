// SPDX-License-Identifier: Apache-2.0
// Layer normalization of rows in 16-bit floats, with CUB's reduction.
#include <cub/block/block_reduce.cuh>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <typename T> __device__ float to_float(T value) { return static_cast<float>(value); }

struct Moments {
    float sum;
    float squares;
};

struct Plus {
    __device__ Moments operator()(const Moments &a, const Moments &b) const { return {a.sum + b.sum, a.squares + b.squares}; }
};

template <typename T, int Threads>
__global__ void __launch_bounds__(Threads) layer_norm(const T *in, const T *gamma, T *out, int columns, float epsilon)
{
    using Reduce = cub::BlockReduce<Moments, Threads>;
    __shared__ typename Reduce::TempStorage storage;
    __shared__ float mean, scale;
    const T *row = in + static_cast<size_t>(blockIdx.x) * columns;
    Moments mine{0, 0};
    for (int i = threadIdx.x; i < columns; i += Threads) {
        const float value = to_float(row[i]);
        mine.sum += value;
        mine.squares += value * value;
    }
    const Moments all = Reduce(storage).Reduce(mine, Plus());
    if (threadIdx.x == 0) {
        mean = all.sum / columns;
        scale = rsqrtf(all.squares / columns - mean * mean + epsilon);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < columns; i += Threads) {
        out[static_cast<size_t>(blockIdx.x) * columns + i] = T((to_float(row[i]) - mean) * scale * to_float(gamma[i]));
    }
}
