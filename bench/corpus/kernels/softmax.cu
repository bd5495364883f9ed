// SPDX-License-Identifier: Apache-2.0
// Softmax of the rows of a matrix, a block for each: one pass for maximum and sum together, one to write.
#include <cub/block/block_reduce.cuh>
#include <cuda/std/cmath>
#include <cuda/std/limits>

// The sum of exp(x - maximum) over the values seen so far.
template <typename T> struct Partial {
    T maximum;
    T sum;
};

struct Combine {
    template <typename T> __device__ Partial<T> operator()(const Partial<T> &a, const Partial<T> &b) const
    {
        const T maximum = a.maximum > b.maximum ? a.maximum : b.maximum;
        return {maximum,
                a.sum * cuda::std::exp(a.maximum - maximum) + b.sum * cuda::std::exp(b.maximum - maximum)};
    }
};

template <typename T, int threads>
__global__ void __launch_bounds__(threads) softmax(const T *in, T *out, int columns)
{
    using Reduce = cub::BlockReduce<Partial<T>, threads>;
    __shared__ typename Reduce::TempStorage scratch;
    __shared__ Partial<T> row;

    in += static_cast<long long>(blockIdx.x) * columns;
    out += static_cast<long long>(blockIdx.x) * columns;
    // Not infinity, whose difference to itself is not a number.
    Partial<T> partial{cuda::std::numeric_limits<T>::lowest(), T{}};
    for (int column = threadIdx.x; column < columns; column += threads) {
        partial = Combine{}(partial, Partial<T>{in[column], T{1}});
    }
    partial = Reduce(scratch).Reduce(partial, Combine{});
    if (threadIdx.x == 0) {
        row = partial;
    }
    __syncthreads();
    const T scale = T{1} / row.sum;
    for (int column = threadIdx.x; column < columns; column += threads) {
        out[column] = cuda::std::exp(in[column] - row.maximum) * scale;
    }
}
