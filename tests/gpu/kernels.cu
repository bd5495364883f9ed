// SPDX-License-Identifier: Apache-2.0
// Kernels for test_gpu_launch.c.

__device__ float table[256];
__constant__ float bias;

template <typename T> struct pair {
    T first;
    T second;
};

// out[i] = in[i] * by.first + by.second + table[i % 256] + bias
template <typename T>
__global__ void affine(const T *in, T *out, pair<T> by, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        out[i] = in[i] * by.first + by.second + static_cast<T>(table[i % 256]) + static_cast<T>(bias);
    }
}

// Reverses count values through dynamic shared memory, with one block.
extern "C" __global__ void __launch_bounds__(256) reverse(int *values, unsigned count)
{
    extern __shared__ int copy[];
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        copy[i] = values[i];
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        values[i] = copy[count - 1 - i];
    }
}

#if __CUDA_ARCH__ >= 900
// Each block writes its rank in its cluster, and the cluster's number of blocks.
__device__ void write_rank(int *ranks)
{
    unsigned rank;
    unsigned blocks;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
    if (threadIdx.x == 0) {
        ranks[2 * blockIdx.x] = static_cast<int>(rank);
        ranks[2 * blockIdx.x + 1] = static_cast<int>(blocks);
    }
}

extern "C" __global__ void any_cluster(int *ranks)
{
    write_rank(ranks);
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_of_two(int *ranks)
{
    write_rank(ranks);
}
#endif
