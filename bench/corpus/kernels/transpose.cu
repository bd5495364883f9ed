// SPDX-License-Identifier: Apache-2.0
// The transpose of a matrix, through tiles in shared memory so that both sides are read and written by rows.
constexpr int tile = 32;
constexpr int rows_at_once = 8;

template <typename T>
__global__ void __launch_bounds__((tile) * (rows_at_once))
    transpose(const T *in, T *out, int columns, int rows)
{
    __shared__ T part[tile][tile + 1]; // one more: a column touches every bank

    int x = blockIdx.x * tile + threadIdx.x;
    int y = blockIdx.y * tile + threadIdx.y;
    for (int i = 0; i < tile; i += rows_at_once) {
        if (x < columns && y + i < rows) {
            part[threadIdx.y + i][threadIdx.x] = in[static_cast<long long>(y + i) * columns + x];
        }
    }
    __syncthreads();
    x = blockIdx.y * tile + threadIdx.x;
    y = blockIdx.x * tile + threadIdx.y;
    for (int i = 0; i < tile; i += rows_at_once) {
        if (x < rows && y + i < columns) {
            out[static_cast<long long>(y + i) * rows + x] = part[threadIdx.x][threadIdx.y + i];
        }
    }
}
