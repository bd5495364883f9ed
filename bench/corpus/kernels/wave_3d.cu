// SPDX-License-Identifier: Apache-2.0
// A step of the wave equation in space, of order 2 · radius: blocks stand side by side on the x-y plane and
// walk along z. The points of a column are in registers, those of a plane in shared memory. Volumes have a
// rim of `radius` points on all sides, which is read and not written.
template <int radius> struct Weights {
    float centre;
    float off[radius]; // for points 1 to radius away
};

template <int radius, int width, int height>
__global__ void __launch_bounds__((width) * (height))
    wave_3d(const float *now, const float *before, float *next, int size_x, int size_y, int size_z,
            Weights<radius> weights)
{
    __shared__ float plane[height + 2 * radius][width + 2 * radius];

    // The sizes are without the rim, and x and y multiples of the block's.
    const long long pitch = size_x + 2 * radius;
    const long long layer = pitch * (size_y + 2 * radius);
    const int x = threadIdx.x + radius;
    const int y = threadIdx.y + radius;
    long long at = (static_cast<long long>(blockIdx.y) * height + y) * pitch + blockIdx.x * width + x;
    float column[2 * radius + 1];
    for (int i = 1; i <= 2 * radius; i++) {
        column[i] = now[at + (i - 1) * layer];
    }
    at += radius * layer;
    for (int z = 0; z < size_z; z++, at += layer) {
        for (int i = 0; i < 2 * radius; i++) {
            column[i] = column[i + 1];
        }
        column[2 * radius] = now[at + radius * layer];
        __syncthreads();
        plane[y][x] = column[radius];
        if (threadIdx.x < radius) {
            plane[y][threadIdx.x] = now[at - radius];
            plane[y][x + width] = now[at + width];
        }
        if (threadIdx.y < radius) {
            plane[threadIdx.y][x] = now[at - radius * pitch];
            plane[y + height][x] = now[at + height * pitch];
        }
        __syncthreads();
        float sum = weights.centre * column[radius];
        for (int i = 1; i <= radius; i++) {
            sum += weights.off[i - 1] * (column[radius - i] + column[radius + i] + plane[y - i][x] +
                                         plane[y + i][x] + plane[y][x - i] + plane[y][x + i]);
        }
        next[at] = 2 * column[radius] - before[at] + sum;
    }
}
