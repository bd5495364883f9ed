// SPDX-License-Identifier: Apache-2.0
// Kernels that launch kernels.
__global__ void square(float *values, int first, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        values[first + i] *= values[first + i];
    }
}

// Squares each segment with a grid of its own, as long as the segment.
extern "C" __global__ void square_segments(float *values, const int *starts, int segments)
{
    int segment = blockIdx.x * blockDim.x + threadIdx.x;
    if (segment < segments) {
        int count = starts[segment + 1] - starts[segment];
        if (count > 0) {
            square<<<(count + 63) / 64, 64>>>(values, starts[segment], count);
        }
    }
}

// Halves a range again and again, down to single elements, which it numbers by their depth.
extern "C" __global__ void bisect(int *depths, int first, int count, int depth)
{
    if (count == 1) {
        depths[first] = depth;
    } else if (count > 1) {
        bisect<<<1, 1>>>(depths, first, count / 2, depth + 1);
        bisect<<<1, 1>>>(depths, first + count / 2, count - count / 2, depth + 1);
    }
}
