// SPDX-License-Identifier: Apache-2.0
// A sparse matrix by rows times a vector: a warp for each row, which also finds the largest product.
#include <algorithm>
#include <cstddef>
#include <limits>

template <typename ValueType, typename IndexType>
__global__ void spmv_csr_vector(IndexType num_rows, const IndexType *Ap, const IndexType *Aj, const ValueType *Ax,
                                const ValueType *x, ValueType *y, ValueType *largest)
{
    const std::size_t thread = static_cast<std::size_t>(blockDim.x) * blockIdx.x + threadIdx.x;
    const IndexType row = static_cast<IndexType>(thread / 32);
    const int lane = thread % 32;
    if (row >= num_rows) {
        return;
    }
    ValueType sum = 0;
    ValueType most = std::numeric_limits<ValueType>::lowest();
    for (IndexType jj = Ap[row] + lane; jj < Ap[row + 1]; jj += 32) {
        const ValueType product = Ax[jj] * x[Aj[jj]];
        sum += product;
        most = std::max(most, product);
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, offset);
        most = std::max(most, __shfl_down_sync(0xffffffff, most, offset));
    }
    if (lane == 0) {
        y[row] = sum;
        largest[row] = most;
    }
}
