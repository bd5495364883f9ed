// SPDX-License-Identifier: Apache-2.0
// The kernels of the cubins in this folder, between them one of each thing that a cubin records. make.py
// compiles them, a few into each file to keep the files small.

__constant__ float table[5];
__device__ double total;
static __device__ unsigned char flags[3];

#ifdef EMPTY
extern "C" __global__ void empty()
{
}
#endif

#ifdef SHAPES
extern "C" __global__ void __launch_bounds__(200, 3) shapes(char c, double d, short s, float *out)
{
    __shared__ float shared[31];
    shared[threadIdx.x % 31] = table[threadIdx.x % 5] + c + flags[c];
    __syncthreads();
    out[threadIdx.x] = shared[s] + (float)(d + total);
}
#endif

#ifdef STACK
extern "C" __global__ void stack(const int *in, int *out, int n)
{
    int local[24];
    for (int i = 0; i < n; i++) {
        local[i] = in[i];
    }
    out[threadIdx.x] = local[in[threadIdx.x]];
}

__device__ __noinline__ int walk(int *cells, int n)
{
    cells[n] = n < 2 ? n : walk(cells, n - 1) + walk(cells, n - 2);
    return cells[n];
}

extern "C" __global__ void recursive(int *out)
{
    int local[10];
    *out = walk(local, *out) + local[threadIdx.x];
}
#endif

#ifdef SPILLS
// With so many blocks a thread gets 32 registers, and these do not fit.
extern "C" __global__ void __launch_bounds__(1024, 2) spilling(double *cells, short *halves, int n)
{
    double cell[11];
    short half[11];
#pragma unroll
    for (int i = 0; i < 11; i++) {
        cell[i] = cells[i * n];
        half[i] = halves[i * n];
    }
    for (int step = 0; step < n; step++) {
#pragma unroll
        for (int i = 0; i < 11; i++) {
            cell[i] = cell[i] * cell[(i + 7) % 11] + half[(i + 3) % 11];
            half[i] = half[i] * half[(i + 1) % 11];
        }
    }
#pragma unroll
    for (int i = 0; i < 11; i++) {
        cells[i * n] = cell[i];
        halves[i * n] = half[i];
    }
}

// Barrier 4 is the fifth.
extern "C" __global__ void barriers(int *out)
{
    __syncthreads();
    asm volatile("bar.sync 4, 64;");
    *out = 0;
}
#endif

#ifdef CLUSTERS
struct wide {
    char bytes[5000]; // above 4 KiB parameters are recorded in another way
};

extern "C" __global__ void __cluster_dims__(2, 3, 1) cluster()
{
}

extern "C" __global__ void __launch_bounds__(64, 1, 4) ranked(const __grid_constant__ wide w, char *out)
{
    *out = w.bytes[threadIdx.x];
}

extern "C" __global__ void __block_size__((32, 2, 1)) sized(int *out)
{
    *out = 0;
}
#endif
