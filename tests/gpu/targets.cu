// SPDX-License-Identifier: Apache-2.0
// The kernel of test_gpu_targets.c, which is compiled for everything that the toolkit makes.

// out[i] = i * factor + sum of the first i % 32 natural numbers
extern "C" __global__ void target_check(unsigned *out, unsigned factor, unsigned count)
{
    __shared__ unsigned sums[32];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 32) {
        unsigned sum = 0;
        for (unsigned n = 1; n <= threadIdx.x; n++) {
            sum += n;
        }
        sums[threadIdx.x] = sum;
    }
    __syncthreads();
    if (i < count) {
        out[i] = i * factor + sums[i % 32];
    }
}
