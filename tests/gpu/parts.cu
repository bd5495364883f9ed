// SPDX-License-Identifier: Apache-2.0
// Kernels for test_gpu_parts.c, each of which becomes a part: bits of PART choose.

#if PART & 1
__device__ int step;

extern "C" __global__ void add(int *values, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        values[i] += step;
    }
}
#endif

#if PART & 2
__constant__ int factor;

extern "C" __global__ void multiply(int *values, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        values[i] *= factor;
    }
}
#endif

#if PART & 4 // what no assembler takes for 8.0
extern "C" __global__ void broken(unsigned *out)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("no_such_instruction.u32 %0;" : "=r"(*out));
#else
    *out = 1;
#endif
}
#endif
