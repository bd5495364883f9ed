// SPDX-License-Identifier: Apache-2.0
// 256 bins, a copy for each warp, then merged.
#include <cuda_runtime.h>
#include <stdint.h>

typedef unsigned char uchar;
typedef unsigned int uint;

#define WARP_COUNT 6
#define HISTOGRAM256_BIN_COUNT 256
#define UMUL(a, b) ((a) * (b))

inline __device__ void addByte(uint *s_WarpHist, uint data)
{
    atomicAdd(s_WarpHist + data, 1);
}

inline __device__ void addWord(uint *s_WarpHist, uint data)
{
    addByte(s_WarpHist, (data >> 0) & 0xFFU);
    addByte(s_WarpHist, (data >> 8) & 0xFFU);
    addByte(s_WarpHist, (data >> 16) & 0xFFU);
    addByte(s_WarpHist, (data >> 24) & 0xFFU);
}

__global__ void histogram256(uint32_t *d_Histogram, const uint32_t *d_Data, uint32_t dataCount)
{
    __shared__ uint s_Hist[WARP_COUNT * HISTOGRAM256_BIN_COUNT];
    uint *s_WarpHist = s_Hist + (threadIdx.x >> 5) * HISTOGRAM256_BIN_COUNT;
    for (uint i = threadIdx.x; i < WARP_COUNT * HISTOGRAM256_BIN_COUNT; i += blockDim.x) {
        s_Hist[i] = 0;
    }
    __syncthreads();
    for (uint pos = UMUL(blockIdx.x, blockDim.x) + threadIdx.x; pos < dataCount; pos += UMUL(blockDim.x, gridDim.x)) {
        addWord(s_WarpHist, d_Data[pos]);
    }
    __syncthreads();
    for (uint bin = threadIdx.x; bin < HISTOGRAM256_BIN_COUNT; bin += blockDim.x) {
        uint sum = 0;
        for (uint i = 0; i < WARP_COUNT; i++) {
            sum += s_Hist[bin + i * HISTOGRAM256_BIN_COUNT];
        }
        atomicAdd(d_Histogram + bin, sum);
    }
}
