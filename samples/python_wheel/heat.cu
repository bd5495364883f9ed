// SPDX-License-Identifier: Apache-2.0
/* One step of the conduction of heat in a plate of rows × columns cells. The cells of the rim keep their temperature. */
template <typename real>
__global__ void heat_step(const real *before, real *after, int rows, int columns, real rate)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || column >= columns) {
        return;
    }
    const long long cell = (long long)row * columns + column;
    real value = before[cell];
    if (row > 0 && row < rows - 1 && column > 0 && column < columns - 1) {
        const real around = before[cell - columns] + before[cell + columns] + before[cell - 1] + before[cell + 1];
        value += rate * (around - 4 * value);
    }
    after[cell] = value;
}

/* The greatest difference between two plates, in `most`, which has to be 0 before. */
template <typename real> __global__ void residual(const real *a, const real *b, long long cells, float *most)
{
    float mine = 0;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < cells; i += (long long)gridDim.x * blockDim.x) {
        mine = fmaxf(mine, fabsf((float)(a[i] - b[i])));
    }
    /* Floats that are not negative are ordered as their bits are. */
    atomicMax((int *)most, __float_as_int(mine));
}
