// SPDX-License-Identifier: Apache-2.0
// A bilateral filter: the mean of a neighbourhood, in which what is near and what is alike counts most.
// Beyond the picture's edge is the edge.
template <int radius, int width, int height>
__global__ void __launch_bounds__((width) * (height))
    bilateral(const float *in, float *out, int columns, int rows, float distance_scale, float value_scale)
{
    constexpr int tile_width = width + 2 * radius;
    constexpr int tile_height = height + 2 * radius;
    __shared__ float tile[tile_height][tile_width];

    const int left = blockIdx.x * width;
    const int top = blockIdx.y * height;
    for (int i = threadIdx.y * width + threadIdx.x; i < tile_width * tile_height; i += width * height) {
        const int x = min(max(left + i % tile_width - radius, 0), columns - 1);
        const int y = min(max(top + i / tile_width - radius, 0), rows - 1);
        tile[i / tile_width][i % tile_width] = in[static_cast<long long>(y) * columns + x];
    }
    __syncthreads();
    const int x = left + threadIdx.x;
    const int y = top + threadIdx.y;
    if (x >= columns || y >= rows) {
        return;
    }
    const float centre = tile[threadIdx.y + radius][threadIdx.x + radius];
    float sum = 0;
    float total = 0;
#pragma unroll
    for (int j = -radius; j <= radius; j++) {
#pragma unroll
        for (int i = -radius; i <= radius; i++) {
            const float value = tile[threadIdx.y + radius + j][threadIdx.x + radius + i];
            const float difference = value - centre;
            const float weight =
                __expf(-distance_scale * (i * i + j * j) - value_scale * difference * difference);
            sum += weight * value;
            total += weight;
        }
    }
    out[static_cast<long long>(y) * columns + x] = sum / total;
}
