// SPDX-License-Identifier: Apache-2.0
// The neighbours of each particle within a radius, found through cells.
#include <cassert>
#include <cstdint>
#include <cuda_runtime.h>

struct Cells {
    int3 count;
    float width;
};

__device__ __forceinline__ int cell_of(const Cells &cells, const float4 &p)
{
    const int x = min(max(int(p.x / cells.width), 0), cells.count.x - 1);
    const int y = min(max(int(p.y / cells.width), 0), cells.count.y - 1);
    const int z = min(max(int(p.z / cells.width), 0), cells.count.z - 1);
    return (z * cells.count.y + y) * cells.count.x + x;
}

__global__ void fill_cells(const float4 *positions, int n, Cells cells, int *sizes, int *members, int capacity)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const int cell = cell_of(cells, positions[i]);
        const int place = atomicAdd(&sizes[cell], 1);
        assert(place < capacity);
        members[cell * capacity + place] = i;
    }
}

__global__ void find_neighbours(const float4 *positions, int n, Cells cells, const int *sizes, const int *members, int capacity,
                                float radius, int *counts, std::int32_t *neighbours, int most)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    const float4 p = positions[i];
    const int home = cell_of(cells, p);
    const int3 at = make_int3(home % cells.count.x, home / cells.count.x % cells.count.y, home / (cells.count.x * cells.count.y));
    int count = 0;
    for (int z = max(at.z - 1, 0); z <= min(at.z + 1, cells.count.z - 1); z++) {
        for (int y = max(at.y - 1, 0); y <= min(at.y + 1, cells.count.y - 1); y++) {
            for (int x = max(at.x - 1, 0); x <= min(at.x + 1, cells.count.x - 1); x++) {
                const int cell = (z * cells.count.y + y) * cells.count.x + x;
                for (int k = 0; k < sizes[cell]; k++) {
                    const int j = members[cell * capacity + k];
                    const float4 q = positions[j];
                    const float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
                    if (j != i && dx * dx + dy * dy + dz * dz < radius * radius) {
                        assert(count < most);
                        neighbours[i * most + count++] = j;
                    }
                }
            }
        }
    }
    counts[i] = count;
}
