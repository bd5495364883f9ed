// SPDX-License-Identifier: Apache-2.0
// Pi by points in a square, with cuRAND's generators in the kernel.
#include <curand_kernel.h>

template <typename State> __global__ void count_inside(unsigned long long seed, int per_thread, unsigned long long *inside)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    State state;
    curand_init(seed, tid, 0, &state);
    unsigned int hits = 0;
    for (int i = 0; i < per_thread; i++) {
        float x = curand_uniform(&state);
        float y = curand_uniform(&state);
        hits += x * x + y * y <= 1.0f;
    }
    atomicAdd(inside, (unsigned long long)hits);
}
