// SPDX-License-Identifier: Apache-2.0
// Quasirandom numbers in Gray-code order.
#include <cuda_runtime.h>

#define n_directions 32
#define k_2powneg32 2.3283064E-10F

__global__ void sobolGPU_kernel(unsigned n_vectors, unsigned n_dimensions, const unsigned *d_directions, float *d_output)
{
    __shared__ unsigned int v[n_directions];
    d_directions += n_directions * blockIdx.y;
    d_output += n_vectors * blockIdx.y;
    if (threadIdx.x < n_directions) {
        v[threadIdx.x] = d_directions[threadIdx.x];
    }
    __syncthreads();
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n_vectors; i += blockDim.x * gridDim.x) {
        unsigned int g = i ^ (i >> 1);
        unsigned int X = 0;
        for (unsigned int k = 0; k < __ffs(n_vectors) - 1; k++) {
            X ^= g & (1u << k) ? v[k] : 0;
        }
        d_output[i] = (float)X * k_2powneg32;
    }
    (void)n_dimensions;
}
