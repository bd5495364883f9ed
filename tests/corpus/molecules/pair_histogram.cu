// SPDX-License-Identifier: Apache-2.0
// The radial distribution of particles: a histogram of distances, in the shared memory of each block.
#include <climits>
#include <cmath>

extern "C" __global__ void pair_histogram(const float4 *positions, int n, float bin_width, int bins, unsigned *histogram)
{
    extern __shared__ unsigned local[];
    for (int i = threadIdx.x; i < bins; i += blockDim.x) {
        local[i] = 0;
    }
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = i + 1; i < n && j < n; j++) {
        const float r = norm3df(positions[i].x - positions[j].x, positions[i].y - positions[j].y, positions[i].z - positions[j].z);
        const int bin = r < INT_MAX * bin_width ? static_cast<int>(std::floor(r / bin_width)) : bins;
        if (bin < bins) {
            atomicAdd(&local[bin], 1u);
        }
    }
    __syncthreads();
    for (int b = threadIdx.x; b < bins; b += blockDim.x) {
        atomicAdd(&histogram[b], local[b]);
    }
}
