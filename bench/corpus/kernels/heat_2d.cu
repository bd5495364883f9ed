// SPDX-License-Identifier: Apache-2.0
// A step of the heat equation on a plane: five points, in shared memory with a rim of one. The plane's own
// rim stays as it is.
template <typename T, int width, int height>
__global__ void __launch_bounds__((width) * (height))
    heat_2d(const T *in, T *out, int columns, int rows, T rate)
{
    __shared__ T tile[height + 2][width + 2];

    const int left = blockIdx.x * width - 1;
    const int top = blockIdx.y * height - 1;
    for (int i = threadIdx.y * width + threadIdx.x; i < (width + 2) * (height + 2); i += width * height) {
        const int x = min(max(left + i % (width + 2), 0), columns - 1);
        const int y = min(max(top + i / (width + 2), 0), rows - 1);
        tile[i / (width + 2)][i % (width + 2)] = in[static_cast<long long>(y) * columns + x];
    }
    __syncthreads();
    const int x = left + 1 + threadIdx.x;
    const int y = top + 1 + threadIdx.y;
    if (x >= columns || y >= rows) {
        return;
    }
    const int i = threadIdx.x + 1;
    const int j = threadIdx.y + 1;
    T heat = tile[j][i];
    if (x > 0 && y > 0 && x < columns - 1 && y < rows - 1) {
        heat += rate * (tile[j - 1][i] + tile[j + 1][i] + tile[j][i - 1] + tile[j][i + 1] - 4 * heat);
    }
    out[static_cast<long long>(y) * columns + x] = heat;
}
