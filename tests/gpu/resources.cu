// SPDX-License-Identifier: Apache-2.0
// Kernels that need something of everything the archive records, for test_gpu_load.c. They are never launched.

__constant__ float coefficients[300];
__device__ int counters[7];

struct wide {
    char bytes[3];
    double values[5];
    short tail;
};

extern "C" __global__ void no_parameters()
{
    counters[threadIdx.x % 7] += 1;
}

extern "C" __global__ void mixed_parameters(char a, double b, short c, wide d, int *out, char last)
{
    *out = a + static_cast<int>(b) + c + d.bytes[1] + static_cast<int>(d.values[4]) + d.tail + last;
}

extern "C" __global__ void many_parameters(int a, int b, int c, int d, int e, int f, int g, int h, int *out)
{
    *out = a + b + c + d + e + f + g + h;
}

extern "C" __global__ void unused_parameter(float unused, int *out, float unused_too)
{
    *out = 1;
}

extern "C" __global__ void static_shared(int *out)
{
    __shared__ int tile[32][33];
    tile[threadIdx.x % 32][threadIdx.y % 32] = threadIdx.x;
    __syncthreads();
    *out = tile[threadIdx.y % 32][threadIdx.x % 32];
}

extern "C" __global__ void static_and_dynamic_shared(double *out)
{
    __shared__ double fixed[100];
    extern __shared__ double dynamic[];
    fixed[threadIdx.x % 100] = dynamic[threadIdx.x];
    __syncthreads();
    *out = fixed[(threadIdx.x + 1) % 100];
}

extern "C" __global__ void local_memory(int *out, int index)
{
    int values[200];
    for (int i = 0; i < 200; i++) {
        values[i] = out[i] * index;
    }
    *out = values[index] + values[200 - index];
}

extern "C" __global__ void constants(float *out)
{
    *out = coefficients[threadIdx.x % 300] * 3.25f;
}

extern "C" __global__ void __launch_bounds__(128) bounded(float *out)
{
    *out = sqrtf(*out);
}

extern "C" __global__ void __launch_bounds__(512, 2) bounded_with_blocks(float *out)
{
    float sums[24];
    for (int i = 0; i < 24; i++) {
        sums[i] = out[i * threadIdx.x];
    }
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 24; i++) {
            sums[i] = sums[i] * sums[(i + round) % 24] + 1.0f;
        }
    }
    for (int i = 0; i < 24; i++) {
        out[i] = sums[i];
    }
}

// Keeps so many values that the registers of a block limit its threads.
extern "C" __global__ void many_registers(float *out, const float *in)
{
    float values[150];
#pragma unroll
    for (int i = 0; i < 150; i++) {
        values[i] = in[i * 32 + threadIdx.x];
    }
#pragma unroll
    for (int i = 0; i < 150; i++) {
#pragma unroll
        for (int j = 0; j < 150; j += 10) {
            values[i] += values[(i + j) % 150] * values[j];
        }
    }
#pragma unroll
    for (int i = 0; i < 150; i++) {
        out[i * 32 + threadIdx.x] = values[i];
    }
}

#if __CUDA_ARCH__ >= 900
extern "C" __global__ void __cluster_dims__(4, 2, 1) clustered(int *out)
{
    *out = 1;
}

extern "C" __global__ void __launch_bounds__(256, 1, 4) bounded_cluster(int *out)
{
    *out = 1;
}
#endif
