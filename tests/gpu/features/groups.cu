// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: tiles, reductions, and a grid that synchronizes.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

// The sum of each tile of 16, and for each thread the sum of those before it in its tile.
extern "C" __global__ void tile_sums(const int *values, int *sums, int *before)
{
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    unsigned i = block.group_index().x * block.size() + block.thread_rank();
    int sum = cg::reduce(tile, values[i], cg::plus<int>());
    before[i] = cg::exclusive_scan(tile, values[i]);
    if (tile.thread_rank() == 0) {
        sums[i / 16] = sum;
    }
}

// Each round replaces every value by the sum of its neighbours, in a ring; no thread is a round ahead.
extern "C" __global__ void spread(unsigned *even, unsigned *odd, unsigned count, int rounds)
{
    cg::grid_group grid = cg::this_grid();
    for (int round = 0; round < rounds; round++) {
        const unsigned *from = round % 2 ? odd : even;
        unsigned *to = round % 2 ? even : odd;
        for (unsigned long long i = grid.thread_rank(); i < count; i += grid.size()) {
            to[i] = from[(i + count - 1) % count] + from[(i + 1) % count];
        }
        grid.sync();
    }
}
