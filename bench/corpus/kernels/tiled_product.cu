// SPDX-License-Identifier: Apache-2.0
// C = A × B, all row by row. A block makes a tile of C from strips of A and B in shared memory, each thread
// `each` by `each` numbers of it. m, n and k are multiples of the tile's sides.
template <typename T, int tile, int tile_k, int each>
__global__ void __launch_bounds__(tile / each * (tile / each))
    tiled_product(const T *a, const T *b, T *c, int n, int k)
{
    constexpr int side = tile / each;
    __shared__ T part_a[tile_k][tile + 1]; // its columns as rows
    __shared__ T part_b[tile_k][tile];

    const int x = threadIdx.x % side;
    const int y = threadIdx.x / side;
    a += static_cast<long long>(blockIdx.y) * tile * k;
    b += blockIdx.x * tile;
    c += static_cast<long long>(blockIdx.y) * tile * n + blockIdx.x * tile;
    T sums[each][each] = {};
    for (int at = 0; at < k; at += tile_k) {
        for (int i = threadIdx.x; i < tile * tile_k; i += side * side) {
            part_a[i % tile_k][i / tile_k] = a[static_cast<long long>(i / tile_k) * k + at + i % tile_k];
            part_b[i / tile][i % tile] = b[static_cast<long long>(at + i / tile) * n + i % tile];
        }
        __syncthreads();
#pragma unroll
        for (int step = 0; step < tile_k; step++) {
            T left[each];
            T right[each];
            for (int i = 0; i < each; i++) {
                left[i] = part_a[step][y + i * side];
                right[i] = part_b[step][x + i * side];
            }
            for (int i = 0; i < each; i++) {
                for (int j = 0; j < each; j++) {
                    sums[i][j] += left[i] * right[j];
                }
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < each; i++) {
        for (int j = 0; j < each; j++) {
            c[static_cast<long long>(y + i * side) * n + x + j * side] = sums[i][j];
        }
    }
}
