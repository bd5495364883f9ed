// Kernels whose launches take what launch.json records: see test_gpu_recorded.c.
struct bounds {
    unsigned shape[2];
    size_t size;
    size_t coord_mult;
};

__device__ unsigned dynamic_bytes()
{
    unsigned bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    return bytes;
}

// As Triton leaves them: a program has several blocks, and two pointers come last. Each block says what it was
// launched with, by way of shared and scratch memory.
extern "C" __global__ void program(unsigned *told, unsigned scale, unsigned *scratch, const void *profile)
{
    extern __shared__ unsigned memory[];
    const unsigned numbers[8] = {gridDim.x, blockDim.x, dynamic_bytes(), profile == nullptr,
                                 (unsigned)((size_t)scratch % 1024), blockIdx.x, scale, scale};
    unsigned *own = scratch + 8 * blockIdx.x;
    if (threadIdx.x < 8) {
        own[threadIdx.x] = numbers[threadIdx.x] * scale;
    }
    memory[dynamic_bytes() / 4 - 1] = 1;
    __syncthreads();
    if (threadIdx.x < 8) {
        told[8 * blockIdx.x + threadIdx.x] = own[threadIdx.x] * memory[dynamic_bytes() / 4 - 1];
    }
}

// As Warp leaves them: every thread goes on by the grid's width.
extern "C" __global__ void plane(bounds dim, unsigned *out)
{
    for (size_t at = blockIdx.x * blockDim.x + threadIdx.x; at < dim.size; at += gridDim.x * blockDim.x) {
        size_t element = at / dim.coord_mult;
        unsigned i = (unsigned)(element / dim.shape[1]);
        unsigned j = (unsigned)(element % dim.shape[1]);
        atomicAdd(&out[i * dim.shape[1] + j], 1000 * i + j);
    }
}
