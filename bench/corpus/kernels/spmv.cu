// SPDX-License-Identifier: Apache-2.0
// y = A · x for a sparse matrix in compressed rows; `lanes` threads of a warp share a row.
#include <cub/warp/warp_reduce.cuh>
#include <cuda/std/type_traits>

template <typename T, typename Index, int lanes>
__global__ void spmv(const Index *offsets, const Index *columns, const T *values, const T *x, T *y,
                     Index rows)
{
    static_assert(cuda::std::is_integral_v<Index>);
    using Reduce = cub::WarpReduce<T, lanes>;
    constexpr int most_threads = 256;
    __shared__ typename Reduce::TempStorage scratch[most_threads / lanes];

    const Index row = (static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x) / lanes;
    const int lane = threadIdx.x % lanes;
    T sum{};
    if (row < rows) { // not a return: the whole warp takes part in the reduction
        for (Index i = offsets[row] + lane; i < offsets[row + 1]; i += lanes) {
            sum += values[i] * x[columns[i]];
        }
    }
    sum = Reduce(scratch[threadIdx.x / lanes]).Sum(sum);
    if (lane == 0 && row < rows) {
        y[row] = sum;
    }
}
