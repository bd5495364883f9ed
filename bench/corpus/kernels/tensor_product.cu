// SPDX-License-Identifier: Apache-2.0
// C = A × B on tensor cores: halves in, floats out, all row by row. A block makes a tile of
// 16 · warps_m · each_m by 16 · warps_n · each_n; m, n and k are multiples of the tile's sides and of 32.
#include <cuda/std/cstddef>
#include <cuda_fp16.h>
#include <mma.h>

namespace wmma = nvcuda::wmma;

// Copies a part of a matrix to shared memory, eight halves at a time.
template <int rows, int columns, int threads>
__device__ void stage(const __half *from, cuda::std::size_t stride, __half (*to)[columns + 8])
{
    constexpr int pieces = columns / 8;
    for (int i = threadIdx.x; i < rows * pieces; i += threads) {
        const int row = i / pieces;
        const int column = i % pieces * 8;
        *reinterpret_cast<uint4 *>(&to[row][column]) =
            *reinterpret_cast<const uint4 *>(from + row * stride + column);
    }
}

template <int warps_m, int warps_n, int each_m, int each_n>
__global__ void __launch_bounds__(32 * warps_m * warps_n)
    tensor_product(const __half *a, const __half *b, float *c, int n, int k)
{
    constexpr int threads = 32 * warps_m * warps_n;
    constexpr int tile_m = 16 * warps_m * each_m;
    constexpr int tile_n = 16 * warps_n * each_n;
    constexpr int tile_k = 32;
    alignas(32) __shared__ __half part_a[tile_m][tile_k + 8];
    alignas(32) __shared__ __half part_b[tile_k][tile_n + 8];

    const int warp_m = threadIdx.x / 32 / warps_n * each_m * 16;
    const int warp_n = threadIdx.x / 32 % warps_n * each_n * 16;
    const cuda::std::size_t first_m = blockIdx.y * tile_m;
    const cuda::std::size_t first_n = blockIdx.x * tile_n;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[each_m][each_n];
    for (auto &row : sums) {
        for (auto &sum : row) {
            wmma::fill_fragment(sum, 0.0f);
        }
    }
    for (int at = 0; at < k; at += tile_k) {
        stage<tile_m, tile_k, threads>(a + first_m * k + at, k, part_a);
        stage<tile_k, tile_n, threads>(b + static_cast<cuda::std::size_t>(at) * n + first_n, n, part_b);
        __syncthreads();
        for (int step = 0; step < tile_k; step += 16) {
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right[each_n];
            for (int j = 0; j < each_n; j++) {
                wmma::load_matrix_sync(right[j], &part_b[step][warp_n + 16 * j], tile_n + 8);
            }
            for (int i = 0; i < each_m; i++) {
                wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
                wmma::load_matrix_sync(left, &part_a[warp_m + 16 * i][step], tile_k + 8);
                for (int j = 0; j < each_n; j++) {
                    wmma::mma_sync(sums[i][j], left, right[j], sums[i][j]);
                }
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < each_m; i++) {
        for (int j = 0; j < each_n; j++) {
            float *to = c + (first_m + warp_m + 16 * i) * n + first_n + warp_n + 16 * j;
            wmma::store_matrix_sync(to, sums[i][j], n, wmma::mem_row_major);
        }
    }
}
