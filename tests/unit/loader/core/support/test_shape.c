/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of blocks and grids. */
#include "unit.h"

#include "loader/core/support/shape.h"

#include <string.h>

static const uint32_t block_limit[3] = {1024, 1024, 64};

static void test_shapes_blocks(void **state)
{
    (void)state;
    static const struct {
        uint32_t threads;
        uint64_t extent[3];
        uint32_t block[3];
    } cases[] = {
        {256, {1000000, 1, 1}, {256, 1, 1}},
        {96, {1000000, 1, 1}, {96, 1, 1}},
        {20, {1000000, 1, 1}, {20, 1, 1}}, /* launch bounds of less than a warp */
        {1, {5, 5, 5}, {1, 1, 1}},
        {256, {4096, 4096, 1}, {32, 8, 1}},
        {1024, {4096, 4096, 1}, {32, 32, 1}},
        {96, {4096, 4096, 1}, {32, 3, 1}},
        {256, {4096, 2, 1}, {128, 2, 1}}, /* no higher than the extent */
        {256, {4096, 3, 1}, {128, 2, 1}},
        {256, {5, 4096, 1}, {8, 32, 1}}, /* no wider than it needs to be */
        {256, {1, 4096, 1}, {1, 256, 1}},
        {256, {64, 64, 64}, {32, 4, 2}},
        {512, {64, 64, 64}, {32, 4, 4}},
        {256, {64, 1, 64}, {32, 1, 8}},
        {1024, {1, 1, 4096}, {16, 1, 64}},
        {1024, {2, 3, 4}, {128, 2, 4}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint32_t block[3] = {0};
        cbn_shape_block(cases[i].threads, 32, cases[i].extent, block_limit, block);
        if (memcmp(block, cases[i].block, sizeof(block)) != 0) {
            print_error("case %zu: %u × %u × %u\n", i, block[0], block[1], block[2]);
            fail();
        }
    }
}

/* Whatever the extent, a block has its threads and keeps to the device's limits. */
static void test_keeps_the_volume(void **state)
{
    (void)state;
    static const uint64_t sides[] = {1, 2, 3, 31, 32, 33, 1000, 1ull << 40};
    for (uint32_t threads = 1; threads <= 1024; threads++) {
        for (size_t i = 0; i < COUNT(sides) * COUNT(sides) * COUNT(sides); i++) {
            const uint64_t extent[3] = {sides[i % COUNT(sides)], sides[i / COUNT(sides) % COUNT(sides)],
                                        sides[i / COUNT(sides) / COUNT(sides)]};
            uint32_t block[3] = {0};
            cbn_shape_block(threads, 32, extent, block_limit, block);
            assert_int_equal(cbn_shape_blocks(block), threads);
            assert_true(block[0] <= 1024 && block[1] <= 1024 && block[2] <= 64);
        }
    }
}

static struct cbn_grid_request request_of(uint64_t x, uint64_t y, uint64_t z)
{
    return (struct cbn_grid_request){
        .extent = {x, y, z},
        .per_block = {32, 8, 1},
        .unit = {1, 1, 1},
        .limit = {2147483647, 65535, 65535},
    };
}

static void expect_grid(const struct cbn_grid_request *request, uint32_t x, uint32_t y, uint32_t z)
{
    uint32_t grid[3] = {0};
    cbn_shape_grid(request, grid);
    const uint32_t expected[3] = {x, y, z};
    assert_memory_equal(grid, expected, sizeof(grid));
}

static void test_covers_extents(void **state)
{
    (void)state;
    struct cbn_grid_request request = request_of(1000, 1000, 7);
    expect_grid(&request, 32, 125, 7);
    request.unit[0] = 3;
    request.unit[1] = 2;
    expect_grid(&request, 33, 126, 7);
    request = request_of(1, 1, 1);
    expect_grid(&request, 1, 1, 1);
}

static void test_folds_extents(void **state)
{
    (void)state;
    struct cbn_grid_request request = request_of(UINT64_MAX, 1000000, 65536);
    uint32_t grid[3] = {0};
    cbn_shape_grid(&request, grid);
    assert_int_equal(grid[0], 2147483647);
    assert_int_equal(grid[1], 65535);
    assert_int_equal(grid[2], 65535);
    assert_true(cbn_shape_rounds(&request, grid, 0) == 268435457); /* 2^59 blocks over 2^31 - 1 */
    assert_int_equal(cbn_shape_rounds(&request, grid, 1), 2);
    assert_int_equal(cbn_shape_rounds(&request, grid, 2), 2);
    request.unit[1] = 4; /* the limit too is one of whole clusters */
    cbn_shape_grid(&request, grid);
    assert_int_equal(grid[1], 65532);
}

static void test_shrinks_grids(void **state)
{
    (void)state;
    struct cbn_grid_request request = request_of(3200, 800, 10);
    static const struct {
        uint64_t blocks;
        uint32_t grid[3];
    } cases[] = {
        {100000, {100, 100, 10}}, {99999, {100, 100, 9}}, {10000, {100, 100, 1}}, {9999, {100, 99, 1}},
        {100, {100, 1, 1}},       {99, {99, 1, 1}},       {1, {1, 1, 1}},         {0, {1, 1, 1}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint32_t grid[3] = {0};
        cbn_shape_grid(&request, grid);
        cbn_shape_shrink(&request, cases[i].blocks, grid);
        assert_memory_equal(grid, cases[i].grid, sizeof(grid));
    }
    request.unit[0] = 4;
    request.unit[1] = 2;
    uint32_t grid[3] = {0};
    cbn_shape_grid(&request, grid);
    cbn_shape_shrink(&request, 99, grid);
    const uint32_t expected[3] = {48, 2, 1};
    assert_memory_equal(grid, expected, sizeof(grid));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes_blocks),  cmocka_unit_test(test_keeps_the_volume),
        cmocka_unit_test(test_covers_extents), cmocka_unit_test(test_folds_extents),
        cmocka_unit_test(test_shrinks_grids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
