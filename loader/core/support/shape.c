/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/support/shape.h"

static uint64_t divide_up(uint64_t value, uint64_t by)
{
    return value / by + (value % by != 0);
}

/* The greatest divisor of `number` that is at most `limit` (which is at least 1). */
static uint32_t greatest_divisor(uint32_t number, uint64_t limit)
{
    for (uint32_t divisor = number; divisor > 1; divisor--) {
        if (divisor <= limit && number % divisor == 0) {
            return divisor;
        }
    }
    return 1;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint32_t square_root(uint32_t number)
{
    uint32_t root = 0;
    while ((root + 1) * (root + 1) <= number) {
        root++;
    }
    return root;
}

/* A warp, or less where the extent is narrower: the next power of two, which divides whole warps. */
static uint32_t row_width(uint32_t threads, uint32_t warp, uint64_t extent)
{
    uint32_t width = 1;
    while (width < warp && width < extent) {
        width *= 2;
    }
    return greatest_divisor(threads, width);
}

void cbn_shape_block(uint32_t threads, uint32_t warp, const uint64_t extent[3], const uint32_t limit[3],
                     uint32_t out_block[3])
{
    uint32_t width = row_width(threads, warp, extent[0]);
    uint32_t rest = threads / width;
    /* Of three dimensions, the other two are about equal. */
    uint64_t deepest = extent[1] > 1 ? square_root(rest) : rest;
    out_block[2] = greatest_divisor(rest, least(deepest, least(extent[2], limit[2])));
    rest /= out_block[2];
    out_block[1] = greatest_divisor(rest, least(extent[1], limit[1]));
    out_block[0] = width * (rest / out_block[1]);
}

void cbn_shape_grid(const struct cbn_grid_request *request, uint32_t out_grid[3])
{
    for (int i = 0; i < 3; i++) {
        uint64_t unit = request->unit[i];
        uint64_t blocks = divide_up(request->extent[i], request->per_block[i]);
        uint64_t units = least(divide_up(blocks, unit), request->limit[i] / unit);
        out_grid[i] = (uint32_t)(units * unit);
    }
}

/* Product of three sides; UINT64_MAX if it is more than that. */
uint64_t cbn_shape_blocks(const uint32_t grid[3])
{
    uint64_t plane = (uint64_t)grid[0] * grid[1];
    return grid[2] && plane > UINT64_MAX / grid[2] ? UINT64_MAX : plane * grid[2];
}

void cbn_shape_shrink(const struct cbn_grid_request *request, uint64_t blocks, uint32_t grid[3])
{
    for (int i = 2; i >= 0 && cbn_shape_blocks(grid) > blocks; i--) {
        uint32_t slice[3] = {grid[0], grid[1], grid[2]};
        slice[i] = request->unit[i];
        uint64_t units = blocks / cbn_shape_blocks(slice);
        grid[i] = (uint32_t)(units ? units * request->unit[i] : request->unit[i]);
    }
}

uint64_t cbn_shape_rounds(const struct cbn_grid_request *request, const uint32_t grid[3], int axis)
{
    return divide_up(divide_up(request->extent[axis], request->per_block[axis]), grid[axis]);
}
