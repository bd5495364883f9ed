// SPDX-License-Identifier: Apache-2.0
// Bulk copies by tensor map (TMA) and warpgroup matrix multiplication (wgmma).
#include <cuda.h>
#include <cuda_fp16.h>

#include <cstdint>

#if __CUDA_ARCH__ >= 900

enum { TILE = 32 };

static __device__ unsigned shared_address(const void *pointer)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

static __device__ void wait_for(std::uint64_t *barrier, unsigned phase)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again;\n"
                 "}" ::"r"(shared_address(barrier)),
                 "r"(phase)
                 : "memory");
}

// Transposes a matrix of floats tile by tile; the tensor map describes it with boxes of TILE by TILE.
extern "C" __global__ void transpose_tiles(const __grid_constant__ CUtensorMap map, float *out, int width, int height)
{
    __shared__ alignas(128) float tile[TILE][TILE];
    __shared__ std::uint64_t barrier;
    int column = TILE * blockIdx.x;
    int row = TILE * blockIdx.y;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier)) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)),
                     "r"(static_cast<unsigned>(sizeof(tile)))
                     : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(tile)),
                     "l"(&map), "r"(column), "r"(row), "r"(shared_address(&barrier))
                     : "memory");
    }
    __syncthreads();
    wait_for(&barrier, 0);
    for (int i = threadIdx.x; i < TILE * TILE; i += blockDim.x) {
        int x = i % TILE;
        int y = i / TILE;
        if (row + x < height && column + y < width) {
            out[(column + y) * height + row + x] = tile[x][y];
        }
    }
}
#endif

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
// Matrices in shared memory without swizzle: 8 rows of 16 bytes lie together.
static __device__ std::uint64_t describe(const void *matrix, unsigned leading_bytes, unsigned stride_bytes)
{
    return (shared_address(matrix) & 0x3ffff) >> 4 | static_cast<std::uint64_t>(leading_bytes >> 4) << 16 |
           static_cast<std::uint64_t>(stride_bytes >> 4) << 32;
}

// C = A B for one tile of 64 by 8, with 16 in between: A by rows, B by columns, C by rows. One warpgroup.
extern "C" __global__ void __launch_bounds__(128) multiply_tile(const __half *a, const __half *b, float *c)
{
    __shared__ alignas(128) __half left[2][8][8][8]; // [half of k][group of 8 rows][row][k]
    __shared__ alignas(128) __half right[2][8][8];   // [half of k][column][k]
    for (int i = threadIdx.x; i < 64 * 16; i += blockDim.x) {
        int row = i / 16;
        int k = i % 16;
        left[k / 8][row / 8][row % 8][k % 8] = a[i];
    }
    int column = threadIdx.x / 16;
    int inner = threadIdx.x % 16;
    right[inner / 8][column][inner % 8] = b[threadIdx.x];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    float sum[4] = {0, 0, 0, 0};
    std::uint64_t left_matrix = describe(left, sizeof(left[0]), sizeof(left[0][0]));
    std::uint64_t right_matrix = describe(right, sizeof(right[0]), sizeof(right[0]));
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 0, 1, 1, 0, 0;"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "l"(left_matrix), "l"(right_matrix)
                 : "memory");
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    for (int i = 0; i < 4; i++) {
        int row = 16 * warp + lane / 4 + 8 * (i / 2);
        c[row * 8 + 2 * (lane % 4) + i % 2] = sum[i];
    }
}
#endif
