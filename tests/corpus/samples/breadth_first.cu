// SPDX-License-Identifier: Apache-2.0
// One level of a breadth-first search: the frontier's neighbours that nobody has seen.
#include <climits>
#include <cuda_runtime.h>

struct Graph {
    const int *offsets;
    const int *edges;
    int vertices;
};

__global__ void bfs_level(Graph graph, const int *frontier, int frontier_size, int *distance, int level, int *next, int *next_size)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < frontier_size; i += gridDim.x * blockDim.x) {
        int vertex = frontier[i];
        for (int e = graph.offsets[vertex]; e < graph.offsets[vertex + 1]; e++) {
            int other = graph.edges[e];
            if (atomicCAS(&distance[other], INT_MAX, level) == INT_MAX) {
                next[atomicAdd(next_size, 1)] = other;
            }
        }
    }
}
