// SPDX-License-Identifier: Apache-2.0
// Layer normalisation of the rows of a matrix, a block for each: mean and variance by Welford's method.
#include <cub/block/block_reduce.cuh>
#include <cuda/std/cmath>

template <typename T> struct Moments {
    T count;
    T mean;
    T squares; // of the differences from the mean, summed

    __device__ void add(T value)
    {
        count += T{1};
        const T difference = value - mean;
        mean += difference / count;
        squares += difference * (value - mean);
    }
};

struct Combine {
    template <typename T> __device__ Moments<T> operator()(const Moments<T> &a, const Moments<T> &b) const
    {
        const T count = a.count + b.count;
        if (count == T{}) {
            return a;
        }
        const T difference = b.mean - a.mean;
        const T share = b.count / count;
        return {count, a.mean + difference * share,
                a.squares + b.squares + difference * difference * a.count * share};
    }
};

template <typename T, int threads>
__global__ void __launch_bounds__(threads)
    layer_norm(const T *in, const T *gain, const T *bias, T *out, int columns, T epsilon)
{
    using Reduce = cub::BlockReduce<Moments<T>, threads>;
    __shared__ typename Reduce::TempStorage scratch;
    __shared__ T mean;
    __shared__ T scale;

    in += static_cast<long long>(blockIdx.x) * columns;
    out += static_cast<long long>(blockIdx.x) * columns;
    Moments<T> moments{};
    for (int column = threadIdx.x; column < columns; column += threads) {
        moments.add(in[column]);
    }
    moments = Reduce(scratch).Reduce(moments, Combine{});
    if (threadIdx.x == 0) {
        mean = moments.mean;
        scale = T{1} / cuda::std::sqrt(moments.squares / moments.count + epsilon);
    }
    __syncthreads();
    for (int column = threadIdx.x; column < columns; column += threads) {
        out[column] = (in[column] - mean) * scale * gain[column] + bias[column];
    }
}
