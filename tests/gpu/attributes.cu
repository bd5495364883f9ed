/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose times, places and values show what a launch's attributes do. Times are the device's, in
 * nanoseconds. */

typedef unsigned long long u64;

static __device__ u64 now()
{
    u64 time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory");
    return time;
}

static __device__ void spin(u64 nanoseconds)
{
    for (u64 start = now(); now() - start < nanoseconds;) {
    }
}

static __device__ void wait_for_those_before()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

static __device__ void let_those_after_start()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* Runs for a while; the kernel after it may start at once. */
extern "C" __global__ void lead(u64 *times, u64 nanoseconds)
{
    u64 start = now();
    let_those_after_start();
    spin(nanoseconds);
    if (threadIdx.x == 0) {
        atomicMin(&times[0], start);
        atomicMax(&times[1], now());
    }
}

/* Notes when it starts, and whether what `lead` wrote is there once it has waited. */
extern "C" __global__ void follow(u64 *times, const volatile u64 *of_lead)
{
    u64 start = now();
    wait_for_those_before();
    if (threadIdx.x == 0) {
        u64 ended = of_lead[1];
        atomicMin(&times[0], start);
        atomicMax(&times[1], now());
        times[2] = ended;
    }
}

/* Notes when its blocks started and ended, without waiting for anything. */
extern "C" __global__ void note(u64 *times, u64 nanoseconds)
{
    u64 start = now();
    spin(nanoseconds);
    if (threadIdx.x == 0) {
        atomicMin(&times[0], start);
        atomicMax(&times[1], now());
    }
}

/* Every block waits for all others. */
extern "C" __global__ void cooperate(unsigned *arrived)
{
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        while (*(volatile unsigned *)arrived < gridDim.x) {
        }
    }
}

/* The size of each block's cluster. */
extern "C" __global__ void clusters(unsigned *sizes)
{
    unsigned size = 1;
#if __CUDA_ARCH__ >= 900
    asm volatile("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(size));
#endif
    if (threadIdx.x == 0) {
        sizes[blockIdx.x] = size;
    }
}

/* Which multiprocessors blocks ran on. */
extern "C" __global__ void places(unsigned *counts)
{
    unsigned place;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(place));
    spin(20000);
    if (threadIdx.x == 0) {
        atomicAdd(&counts[place], 1);
    }
}

extern "C" __global__ void add(unsigned *values, unsigned number)
{
    atomicAdd(&values[blockIdx.x], number);
}

/* With memory of its own for each block, as other systems' kernels have: attributes.json. */
extern "C" __global__ void scratch(unsigned *values, unsigned *memory)
{
    unsigned *own = memory + 16 * blockIdx.x;
    own[threadIdx.x] = blockIdx.x + threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        for (unsigned i = 0; i < 16; i++) {
            sum += own[i];
        }
        values[blockIdx.x] = sum;
    }
}
