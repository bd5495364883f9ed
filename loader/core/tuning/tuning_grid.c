/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/tuning/tuning_grid.h"
#include "loader/core/support/error.h"
#include "loader/core/support/sized.h"

static uint64_t at_least_one(uint64_t value)
{
    return value ? value : 1;
}

/* How many elements a block handles along an axis. Neither factor has more than 32 bits. */
static uint64_t per_block(const cubinet_tuning *tuning, int axis)
{
    uint64_t threads = tuning->grid_rule == CUBINET_GRID_PER_THREAD ? at_least_one(tuning->block[axis]) : 1;
    return at_least_one(tuning->grid_value[axis]) * threads;
}

/* Most extents are 1 along some axis, which needs no division. */
static uint64_t cover(uint64_t extent, uint64_t per_block)
{
    return extent > 1 ? (extent - 1) / per_block + 1 : 1;
}

/* Blocks along each axis; false if all together are beyond 64 bits. */
static bool count_blocks(const cubinet_tuning *tuning, const uint64_t extent[3], uint64_t blocks[3])
{
    for (int i = 0; i < 3; i++) {
        blocks[i] = tuning->grid_rule == CUBINET_GRID_FIXED ? at_least_one(tuning->grid_value[i])
                                                            : cover(extent[i], per_block(tuning, i));
    }
    if (tuning->grid_rule != CUBINET_GRID_FLAT) {
        return true;
    }
    bool fits = !__builtin_mul_overflow(blocks[0], blocks[1], &blocks[0]) &&
                !__builtin_mul_overflow(blocks[0], blocks[2], &blocks[0]);
    blocks[1] = blocks[2] = 1;
    return fits;
}

/* Cuts a side to its limit, then rounds it up to a multiple of the cluster's. */
static uint64_t fit_side(const cubinet_tuning *tuning, int axis, uint64_t blocks)
{
    uint64_t limit = tuning->grid_limit[axis];
    uint64_t unit = tuning->cluster[axis];
    uint64_t side = limit && limit < blocks ? limit : blocks;
    uint64_t rest = unit > 1 ? side % unit : 0;
    return rest && side <= UINT32_MAX ? side + unit - rest : side;
}

bool cbn_tuning_grid(const cubinet_tuning *tuning, const uint64_t extent[3], uint32_t out_grid[3])
{
    uint64_t blocks[3];
    bool fits = count_blocks(tuning, extent, blocks);
    for (int i = 0; fits && i < 3; i++) {
        blocks[i] = fit_side(tuning, i, blocks[i]);
        fits = blocks[i] <= UINT32_MAX;
    }
    for (int i = 0; fits && i < 3; i++) {
        out_grid[i] = (uint32_t)blocks[i];
    }
    return fits;
}

bool cbn_tuning_has_rule(const cubinet_tuning *tuning)
{
    return tuning->grid_rule >= CUBINET_GRID_FIXED && tuning->grid_rule <= CUBINET_GRID_FLAT;
}

cubinet_status cubinet_tuning_get_grid(const cubinet_tuning *tuning, const uint64_t extent[3],
                                       uint32_t out_grid[3])
{
    if (!tuning || !extent || !out_grid) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_tuning_get_grid: %s is NULL",
                         !tuning   ? "tuning"
                         : !extent ? "extent"
                                   : "out_grid");
    }
    cubinet_tuning known;
    cubinet_status status = cbn_sized_read(tuning, "cubinet_tuning", &known, sizeof(known));
    if (status) {
        return status;
    }
    if (!cbn_tuning_has_rule(&known)) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "a tuning record's grid follows from the extent by rule %u; those known here are %u "
                         "to %u",
                         (unsigned)known.grid_rule, (unsigned)CUBINET_GRID_FIXED,
                         (unsigned)CUBINET_GRID_FLAT);
    }
    if (!cbn_tuning_grid(&known, extent, out_grid)) {
        return cbn_error(CUBINET_ERROR_LIMIT,
                         "the grid for %llu × %llu × %llu elements has a side of more than %u blocks",
                         (unsigned long long)extent[0], (unsigned long long)extent[1],
                         (unsigned long long)extent[2], (unsigned)UINT32_MAX);
    }
    return CUBINET_OK;
}
