// SPDX-License-Identifier: Apache-2.0
// __device__, __constant__, __managed__ and __shared__ variables.
__constant__ float weights[4];
__device__ float scale = 2.0f;
__managed__ int calls = 40;
__managed__ float results[8];

namespace settings {
__device__ int offset;
}

// results[i] = scale * sum of weights + settings::offset + i, through shared memory; calls counts the threads.
extern "C" __global__ void combine()
{
    __shared__ float sum;
    if (threadIdx.x == 0) {
        sum = 0;
    }
    __syncthreads();
    if (threadIdx.x < 4) {
        atomicAdd(&sum, weights[threadIdx.x]);
    }
    __syncthreads();
    results[threadIdx.x] = scale * sum + settings::offset + threadIdx.x;
    atomicAdd(&calls, 1);
}
