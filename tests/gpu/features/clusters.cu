// SPDX-License-Identifier: Apache-2.0
// Clusters of blocks, and shared memory that is read from other blocks.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

enum { BINS = 64 };

// A histogram whose bins are spread over the shared memory of the blocks of a cluster.
extern "C" __global__ void cluster_histogram(const unsigned char *values, int count, unsigned *bins)
{
    __shared__ unsigned local[BINS];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned per_block = BINS / cluster.num_blocks();
    for (unsigned i = threadIdx.x; i < per_block; i += blockDim.x) {
        local[i] = 0;
    }
    cluster.sync();
    for (int i = cluster.thread_rank(); i < count; i += cluster.num_threads()) {
        unsigned bin = values[i] % BINS;
        unsigned *remote = cluster.map_shared_rank(local, bin / per_block);
        atomicAdd(&remote[bin % per_block], 1u);
    }
    cluster.sync();
    for (unsigned i = threadIdx.x; i < per_block; i += blockDim.x) {
        bins[cluster.block_rank() * per_block + i] = local[i];
    }
}

// The same for clusters of four that the kernel asks for itself: each block writes what its right neighbour has.
extern "C" __global__ void __cluster_dims__(4, 1, 1) pass_around(const int *in, int *out)
{
    __shared__ int mine;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        mine = in[blockIdx.x];
    }
    cluster.sync();
    if (threadIdx.x == 0) {
        out[blockIdx.x] = *cluster.map_shared_rank(&mine, (cluster.block_rank() + 1) % cluster.num_blocks());
    }
    cluster.sync();
}
