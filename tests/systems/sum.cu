// SPDX-License-Identifier: Apache-2.0
// The sum of each 128 numbers. BLOCK_SUM is cuda.coop's function, which is linked.
extern "C" __device__ void BLOCK_SUM(void *storage, float &value, float &sum);
extern "C" __global__ void sum128(const float *x, float *sums)
{
    __shared__ alignas(16) char storage[64];
    float value = x[blockIdx.x * 128 + threadIdx.x];
    float sum = 0;
    BLOCK_SUM(storage, value, sum);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
