/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of tuning records: which extent is nearest, and the grid for an extent. */
#include "loader/core/tuning/nearest.h"
#include "loader/core/tuning/tuning_grid.h"
#include "unit.h"

#include <string.h>

static void test_logarithms(void **state)
{
    (void)state;
    assert_int_equal(cbn_extent_log(1), 0);
    assert_int_equal(cbn_extent_log(2), 1 << 23);
    assert_int_equal(cbn_extent_log(3), (1 << 23) + (1 << 22));
    assert_int_equal(cbn_extent_log(1u << 20), 20 << 23);
    assert_int_equal(cbn_extent_log(UINT64_C(1) << 63), 63 << 23);
    assert_int_equal(cbn_extent_log(UINT64_MAX), (64 << 23) - 1);
    for (uint64_t i = 1; i < 5000; i++) {
        assert_true(cbn_extent_log(i) < cbn_extent_log(i + 1));
    }
}

/* The nearest of some extents along x and y, or -1. */
static int nearest(const uint64_t (*measured)[2], uint32_t count, uint64_t x, uint64_t y)
{
    int32_t logs[3][8] = {{0}};
    int axes = 0;
    for (uint32_t i = 0; i < cbn_extents_room(count); i++) {
        uint32_t place = i < count ? i : count - 1;
        logs[0][i] = cbn_extent_log(measured[place][0]);
        logs[1][i] = cbn_extent_log(measured[place][1]);
        axes = logs[0][i] && axes < 1 ? 1 : axes;
        axes = logs[1][i] ? 2 : axes;
    }
    const struct cbn_extents extents = {count, axes, {logs[0], logs[1], logs[2]}};
    const int32_t wanted[3] = {cbn_extent_log(x), cbn_extent_log(y), 0};
    uint32_t found = 0;
    return cbn_extents_nearest(&extents, wanted, &found) ? (int)found : -1;
}

static void test_nearest_along_a_line(void **state)
{
    (void)state;
    static const uint64_t measured[][2] = {{1000, 1}, {4000, 1}, {64000, 1}};
    assert_int_equal(nearest(measured, 3, 1000, 1), 0);
    assert_int_equal(nearest(measured, 3, 4000, 1), 1);
    assert_int_equal(nearest(measured, 3, 1500, 1), 0);
    assert_int_equal(nearest(measured, 3, 3000, 1), 1);
    assert_int_equal(nearest(measured, 3, 40000, 1), 2);
    assert_int_equal(nearest(measured, 3, 64000, 1), 2);
    assert_int_equal(nearest(measured, 3, 999, 1), -1);
    assert_int_equal(nearest(measured, 3, 64001, 1), -1);
    assert_int_equal(nearest(measured, 3, 4000, 2), -1);
    assert_int_equal(nearest(measured, 0, 1, 1), -1);
}

/* Of two that are as near, the first. */
static void test_nearest_is_the_first(void **state)
{
    (void)state;
    static const uint64_t measured[][2] = {{1024, 1}, {4096, 1}};
    assert_int_equal(nearest(measured, 2, 2048, 1), 0);
    static const uint64_t swapped[][2] = {{4096, 1}, {1024, 1}};
    assert_int_equal(nearest(swapped, 2, 2048, 1), 0);
    static const uint64_t apart[][2] = {{1024, 1}, {1 << 20, 1}, {1 << 20, 1}, {1 << 20, 1}, {4096, 1}};
    assert_int_equal(nearest(apart, 5, 2048, 1), 0);
}

/* Between two extents is only what is at least as long as the one along both axes, and at most as the other.
 */
static void test_nearest_is_not_outside(void **state)
{
    (void)state;
    static const uint64_t corners[][2] = {{16, 4096}, {4096, 16}};
    assert_int_equal(nearest(corners, 2, 256, 256), -1);
    assert_int_equal(nearest(corners, 2, 4096, 4096), -1);
    assert_int_equal(nearest(corners, 2, 16, 16), -1);
    assert_int_equal(nearest(corners, 2, 16, 4096), 0);
    static const uint64_t all[][2] = {{16, 16}, {16, 4096}, {4096, 16}, {4096, 4096}};
    assert_int_equal(nearest(all, 4, 4000, 4000), 3);
    assert_int_equal(nearest(all, 4, 20, 4000), 1);
    assert_int_equal(nearest(all, 4, 256, 256), 0);
    static const uint64_t by_one[][2] = {{(1 << 23) + 1, 1}};
    assert_int_equal(nearest(by_one, 1, 1 << 23, 1), -1);
    assert_int_equal(nearest(by_one, 1, (1 << 23) + 1, 1), 0);
    assert_int_equal(nearest(by_one, 1, (1 << 23) + 2, 1), -1);
}

/* Among more than are compared at the same time, wherever the nearest is. */
static void test_nearest_of_many(void **state)
{
    (void)state;
    static const uint64_t measured[][2] = {{1, 1},    {4, 2},     {16, 4},   {64, 8},
                                           {256, 16}, {1024, 32}, {4096, 64}};
    for (uint32_t i = 0; i < COUNT(measured); i++) {
        assert_int_equal(nearest(measured, COUNT(measured), measured[i][0], measured[i][1]), i);
        assert_int_equal(nearest(measured, i + 1, measured[i][0], measured[i][1]), i);
        assert_int_equal(nearest(measured, i + 1, measured[i][0] + 1, measured[i][1]), -1);
    }
}

static void expect_grid(const cubinet_tuning *tuning, uint64_t x, uint64_t y, uint64_t z, uint32_t grid_x,
                        uint32_t grid_y, uint32_t grid_z)
{
    const uint64_t extent[3] = {x, y, z};
    uint32_t grid[3] = {0};
    assert_int_equal(cubinet_tuning_get_grid(tuning, extent, grid), CUBINET_OK);
    assert_int_equal(grid[0], grid_x);
    assert_int_equal(grid[1], grid_y);
    assert_int_equal(grid[2], grid_z);
}

static void test_grids(void **state)
{
    (void)state;
    cubinet_tuning tuning = {.size = sizeof(tuning), .block = {128, 2, 1}};
    tuning.grid_rule = CUBINET_GRID_FIXED;
    tuning.grid_value[0] = 264;
    expect_grid(&tuning, 1, 1, 1, 264, 1, 1);
    expect_grid(&tuning, UINT64_MAX, 1, 1, 264, 1, 1);
    tuning.grid_rule = CUBINET_GRID_PER_BLOCK;
    expect_grid(&tuning, 264, 7, 0, 1, 7, 1);
    expect_grid(&tuning, 265, 7, 2, 2, 7, 2);
    tuning.grid_rule = CUBINET_GRID_PER_THREAD;
    tuning.grid_value[0] = 4;
    expect_grid(&tuning, 512, 2, 1, 1, 1, 1);
    expect_grid(&tuning, 513, 3, 5, 2, 2, 5);
    tuning.grid_rule = CUBINET_GRID_FLAT;
    tuning.grid_value[0] = 64;
    tuning.grid_value[1] = 32;
    expect_grid(&tuning, 130, 33, 3, 18, 1, 1);
}

static void test_grids_are_limited(void **state)
{
    (void)state;
    cubinet_tuning tuning = {.size = sizeof(tuning),
                             .block = {32, 1, 1},
                             .grid_rule = CUBINET_GRID_PER_BLOCK,
                             .grid_value = {32},
                             .grid_limit = {100},
                             .cluster = {8, 1, 1}};
    expect_grid(&tuning, 32, 1, 1, 8, 1, 1);
    expect_grid(&tuning, 32 * 17, 1, 1, 24, 1, 1);
    expect_grid(&tuning, 32 * 99, 1, 1, 104, 1, 1);
    expect_grid(&tuning, UINT64_MAX, 1, 1, 104, 1, 1);
    const cubinet_tuning whole = {.size = sizeof(whole), .grid_rule = CUBINET_GRID_PER_BLOCK};
    expect_grid(&whole, 1, UINT32_MAX, 1, 1, UINT32_MAX, 1);
}

static void expect_refusal(const cubinet_tuning *tuning, const uint64_t *extent, cubinet_status status,
                           const char *message)
{
    uint32_t grid[3] = {7, 7, 7};
    assert_int_equal(cubinet_tuning_get_grid(tuning, extent, grid), status);
    assert_non_null(strstr(cubinet_error_message(), message));
    assert_int_equal(grid[0], 7);
}

static void test_grids_that_do_not_fit(void **state)
{
    (void)state;
    const uint64_t extent[3] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
    const uint64_t large[3] = {UINT64_C(1) << 22, UINT64_C(1) << 22, UINT64_C(1) << 22};
    const uint64_t long_side[3] = {1, 2, UINT64_C(1) << 32};
    cubinet_tuning tuning = {.size = sizeof(tuning), .grid_rule = CUBINET_GRID_PER_BLOCK};
    expect_refusal(&tuning, extent, CUBINET_ERROR_LIMIT, "has a side of more than 4294967295 blocks");
    expect_refusal(&tuning, long_side, CUBINET_ERROR_LIMIT, "the grid for 1 × 2 × 4294967296 elements has");
    tuning.cluster[0] = 7;
    expect_refusal(&tuning, extent, CUBINET_ERROR_LIMIT, "has a side of more than");
    tuning.cluster[0] = 0;
    tuning.grid_rule = CUBINET_GRID_FLAT;
    expect_refusal(&tuning, extent, CUBINET_ERROR_LIMIT, "has a side of more than");
    expect_refusal(&tuning, large, CUBINET_ERROR_LIMIT, "has a side of more than");
    tuning = (cubinet_tuning){.size = sizeof(tuning),
                              .grid_rule = CUBINET_GRID_FIXED,
                              .grid_value = {UINT32_MAX},
                              .cluster = {2, 1, 1}};
    expect_refusal(&tuning, large, CUBINET_ERROR_LIMIT, "has a side of more than");
    tuning.grid_rule = 0;
    expect_refusal(&tuning, extent, CUBINET_ERROR_INVALID_ARGUMENT, "by rule 0; those known here are 1 to 4");
    tuning.grid_rule = 5;
    expect_refusal(&tuning, extent, CUBINET_ERROR_INVALID_ARGUMENT, "by rule 5");
    expect_refusal(NULL, extent, CUBINET_ERROR_INVALID_ARGUMENT, "tuning is NULL");
    expect_refusal(&tuning, NULL, CUBINET_ERROR_INVALID_ARGUMENT, "extent is NULL");
    assert_int_equal(cubinet_tuning_get_grid(&tuning, extent, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
    tuning.size = 3;
    expect_refusal(&tuning, extent, CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_tuning");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_logarithms),           cmocka_unit_test(test_nearest_along_a_line),
        cmocka_unit_test(test_nearest_is_the_first), cmocka_unit_test(test_nearest_is_not_outside),
        cmocka_unit_test(test_nearest_of_many),      cmocka_unit_test(test_grids),
        cmocka_unit_test(test_grids_are_limited),    cmocka_unit_test(test_grids_that_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
