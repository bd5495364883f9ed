/* SPDX-License-Identifier: Apache-2.0 */
/* The second fatbin of slim.cu's program. */
#ifdef RELOCATABLE
__device__ float outer(float x)
{
    return x * 2 + 1;
}
#endif

__device__ float started = 1;

__global__ void wave_kernel(float *x)
{
    *x = cosf(*x) * started + sinf(0);
}

float wave(float x)
{
    float *managed;
    float result = -1;
    if (cudaMallocManaged(&managed, sizeof(x)) == cudaSuccess) {
        *managed = x;
        wave_kernel<<<1, 1>>>(managed);
        result = cudaDeviceSynchronize() == cudaSuccess ? *managed : -1;
        cudaFree(managed);
    }
    return result;
}
