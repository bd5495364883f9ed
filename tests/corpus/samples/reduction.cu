// SPDX-License-Identifier: Apache-2.0
// The sum of an array: shuffles in the warp, shared memory in the block, an atomic for the grid.
#include <cstdint>
#include <cuda_runtime.h>

template <typename T> __device__ __forceinline__ T warpReduceSum(unsigned int mask, T mySum)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2) {
        mySum += __shfl_down_sync(mask, mySum, offset);
    }
    return mySum;
}

template <typename T, unsigned int blockSize> __global__ void reduce(const T *g_idata, T *g_odata, std::uint32_t n)
{
    static_assert(blockSize % 32 == 0, "whole warps");
    __shared__ T sdata[blockSize / 32];
    T mySum = 0;
    for (std::uint32_t i = blockIdx.x * blockSize + threadIdx.x; i < n; i += blockSize * gridDim.x) {
        mySum += g_idata[i];
    }
    mySum = warpReduceSum<T>(0xffffffffu, mySum);
    if (threadIdx.x % warpSize == 0) {
        sdata[threadIdx.x / warpSize] = mySum;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        T sum = 0;
        for (unsigned int w = 0; w < blockSize / 32; w++) {
            sum += sdata[w];
        }
        atomicAdd(g_odata, sum);
    }
}
