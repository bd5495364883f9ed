/* SPDX-License-Identifier: Apache-2.0 */
/* Suggested launch configurations. */
#include "loader/driver/module.h"
#include "machine.h"
#include "unit.h"

#include <cubinet/launch.h>

#include <string.h>

struct setup {
    cubinet_driver *driver;
    cubinet_archive *archive;
    cubinet_module *module;
};

static struct setup set_up(const char *devices, const char *images)
{
    struct setup setup = {.driver = machine_start(devices, NULL, NULL),
                          .archive = machine_archive(images, 0)};
    setup.module = machine_load(setup.driver, setup.archive, 0);
    return setup;
}

static void tear_down(struct setup *setup)
{
    assert_int_equal(cubinet_module_unload(setup->module), CUBINET_OK);
    cubinet_archive_close(setup->archive);
    machine_stop(setup->driver);
}

/* What came of a call, and the occupancy of what it suggests. */
struct found {
    cubinet_launch_config config;
    cubinet_launch_estimate estimate;
    cubinet_occupancy occupancy;
};

static struct found suggest(const struct setup *setup, const char *name, uint64_t x, uint64_t y, uint64_t z,
                            const cubinet_suggest_options *options)
{
    const uint64_t extent[3] = {x, y, z};
    struct found found = {.config = {.size = sizeof(found.config)},
                          .estimate = {.size = sizeof(found.estimate)},
                          .occupancy = {.size = sizeof(found.occupancy)}};
    const cubinet_kernel *kernel = machine_kernel(setup->module, name);
    cubinet_status status =
        cubinet_kernel_suggest_launch(kernel, extent, options, &found.config, &found.estimate);
    if (!status) {
        status = cubinet_kernel_get_occupancy(kernel, &found.config, &found.occupancy);
    }
    if (status) {
        print_error("%s\n", cubinet_error_message());
    }
    assert_int_equal(status, CUBINET_OK);
    return found;
}

static void expect_sides(const uint32_t found[3], uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t expected[3] = {x, y, z};
    if (memcmp(found, expected, sizeof(expected)) != 0) {
        print_error("%u × %u × %u, not %u × %u × %u\n", found[0], found[1], found[2], x, y, z);
        fail();
    }
}

static void expect_refusal(const struct setup *setup, const char *name,
                           const cubinet_suggest_options *options, const char *message)
{
    const uint64_t extent[3] = {1000};
    cubinet_launch_config config = {.size = sizeof(config), .dynamic_shared_bytes = 77};
    cubinet_launch_estimate estimate = {.size = sizeof(estimate), .blocks = 77};
    assert_int_equal(cubinet_kernel_suggest_launch(machine_kernel(setup->module, name), extent, options,
                                                   &config, &estimate),
                     CUBINET_ERROR_LIMIT);
    if (!strstr(cubinet_error_message(), message)) {
        print_error("'%s' is not in the message: %s\n", message, cubinet_error_message());
        fail();
    }
    assert_int_equal(config.dynamic_shared_bytes, 77);
    assert_int_equal(estimate.blocks, 77);
}

static void test_suggests_for_a_row(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    struct found found = suggest(&setup, "scale", 1000000, 0, 0, NULL);
    expect_sides(found.config.block, 256, 1, 1);
    expect_sides(found.config.grid, 3907, 1, 1);
    expect_sides(found.config.cluster, 0, 0, 0);
    assert_int_equal(found.estimate.blocks, 3907);
    assert_int_equal(found.estimate.resident_blocks, 8 * 132);
    assert_true(found.estimate.waves > 3.69 && found.estimate.waves < 3.7);
    assert_true(found.estimate.tail_efficiency == found.estimate.waves / 4);
    assert_true(found.occupancy.occupancy == 1.0);
    assert_true(found.estimate.rounds[0] == 1 && found.estimate.rounds[1] == 1 &&
                found.estimate.rounds[2] == 1);
    /* It is one that can be launched. */
    CUdeviceptr data = 0;
    float by = 1;
    uint32_t count = 1;
    const cubinet_arg args[] = {CUBINET_ARG(data), CUBINET_ARG(by), CUBINET_ARG(count)};
    assert_int_equal(cubinet_kernel_launch(machine_kernel(setup.module, "scale"), &found.config, args, 3),
                     CUBINET_OK);
    const cubinet_suggest_options options = {.size = sizeof(options), .elements_per_thread = 4};
    found = suggest(&setup, "scale", 1000000, 0, 0, &options);
    expect_sides(found.config.grid, 977, 1, 1);
    tear_down(&setup);
}

/* Smaller blocks where larger ones would leave multiprocessors without. */
static void test_spreads_small_extents(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    struct found found = suggest(&setup, "scale", 10000, 1, 1, NULL);
    expect_sides(found.config.block, 64, 1, 1);
    expect_sides(found.config.grid, 157, 1, 1);
    assert_true(found.occupancy.occupancy == 1.0);
    found = suggest(&setup, "scale", 0, 0, 0, NULL);
    expect_sides(found.config.grid, 1, 1, 1);
    assert_true(found.estimate.tail_efficiency < 0.01);
    tear_down(&setup);
}

static void test_suggests_for_planes_and_boxes(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    struct found found = suggest(&setup, "scale", 4096, 4000, 0, NULL);
    expect_sides(found.config.block, 32, 8, 1);
    expect_sides(found.config.grid, 128, 500, 1);
    found = suggest(&setup, "scale", 100, 100, 100, NULL);
    expect_sides(found.config.block, 32, 4, 2);
    expect_sides(found.config.grid, 4, 25, 50);
    tear_down(&setup);
}

static void test_folds_what_exceeds_a_grid(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    struct found found = suggest(&setup, "scale", 1ull << 40, 0, 0, NULL);
    expect_sides(found.config.grid, 2147483647, 1, 1);
    assert_int_equal(found.estimate.rounds[0], 3); /* 2^32 blocks over 2^31 - 1 */
    found = suggest(&setup, "scale", 32, 1000000, 200000, NULL);
    expect_sides(found.config.grid, 1, 65535, 65535);
    assert_int_equal(found.estimate.rounds[1], 4);
    assert_int_equal(found.estimate.rounds[2], 2);
    tear_down(&setup);
}

static void test_honours_launch_bounds_and_limits(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    cubinet_suggest_options options = {.size = sizeof(options), .max_block_threads = 127};
    struct found found = suggest(&setup, "tile", 1000000, 0, 0, &options);
    expect_sides(found.config.block, 64, 1, 1);
    options = (cubinet_suggest_options){.size = sizeof(options), .max_block_threads = 20};
    found = suggest(&setup, "tile", 1000000, 0, 0, &options);
    expect_sides(found.config.block, 20, 1, 1);
    options = (cubinet_suggest_options){.size = sizeof(options), .dynamic_shared_bytes = 100 << 10};
    found = suggest(&setup, "tile", 1000000, 0, 0, &options);
    expect_sides(found.config.block, 256, 1, 1);
    assert_int_equal(found.config.dynamic_shared_bytes, 100 << 10);
    assert_int_equal(found.occupancy.active_blocks_per_multiprocessor, 2);
    assert_int_equal(found.occupancy.limiters, CUBINET_LIMITER_SHARED_MEMORY);
    options.dynamic_shared_bytes = 227 << 10;
    expect_refusal(&setup, "tile", &options, "1024 static");
    tear_down(&setup);
}

static uint32_t kib_for_each_warp(uint32_t block_threads, void *user)
{
    (void)user;
    return block_threads / 32 * 40960;
}

/* Sizes that do not fit fail no other size. */
static void test_takes_shared_memory_by_block_size(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    const cubinet_suggest_options options = {.size = sizeof(options), .dynamic_shared_fn = kib_for_each_warp};
    struct found found = suggest(&setup, "scale", 1000000, 0, 0, &options);
    assert_int_equal(found.config.dynamic_shared_bytes, found.config.block[0] / 32 * 40960);
    assert_int_equal(found.config.block[0] * found.occupancy.active_blocks_per_multiprocessor, 5 * 32);
    tear_down(&setup);
}

static void test_honours_clusters(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    struct found found = suggest(&setup, "clustered", 256 * 1000 + 1, 0, 0, NULL);
    expect_sides(found.config.cluster, 2, 1, 1);
    expect_sides(found.config.grid, 1002, 1, 1);
    assert_int_equal(found.estimate.resident_blocks, 132 * 8);
    cubinet_suggest_options options = {.size = sizeof(options), .cluster = {4}};
    expect_refusal(&setup, "clustered", &options, "compiled for clusters of 2 × 1 × 1");
    found = suggest(&setup, "tile", 256 * 1000 + 1, 0, 0, &options);
    expect_sides(found.config.cluster, 4, 1, 1);
    expect_sides(found.config.grid, 1004, 1, 1);
    tear_down(&setup);
    setup = set_up("8.0", "sm_80");
    expect_refusal(&setup, "tile", &options, "has no clusters");
    tear_down(&setup);
}

/* No fixture has a required block: one is recorded afterwards. */
static void test_honours_required_blocks(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    const uint32_t required[3] = {16, 6, 0};
    memcpy(machine_kernel(setup.module, "scale")->record.resources.required_block, required,
           sizeof(required));
    struct found found = suggest(&setup, "scale", 1000, 100, 0, NULL);
    expect_sides(found.config.block, 16, 6, 1);
    expect_sides(found.config.grid, 63, 17, 1);
    assert_int_equal(found.occupancy.active_blocks_per_multiprocessor, 21);
    const cubinet_suggest_options options = {.size = sizeof(options), .max_block_threads = 64};
    expect_refusal(&setup, "scale", &options, "blocks of exactly 16 × 6 × 1 threads; at most 64");
    uint32_t threads = 0;
    const cubinet_kernel *kernel = machine_kernel(setup.module, "scale");
    assert_int_equal(cubinet_kernel_get_max_block_size(kernel, NULL, &threads, NULL), CUBINET_OK);
    assert_int_equal(threads, 96);
    tear_down(&setup);
}

static void test_fits_cooperative_launches(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    cubinet_suggest_options options = {.size = sizeof(options), .flags = CUBINET_LAUNCH_COOPERATIVE};
    struct found found = suggest(&setup, "tile", 100000000, 0, 0, &options);
    assert_int_equal(found.config.flags, CUBINET_LAUNCH_COOPERATIVE);
    expect_sides(found.config.grid, 8 * 132, 1, 1);
    assert_int_equal(found.estimate.rounds[0], 370); /* 390,625 blocks */
    assert_true(found.estimate.waves == 1.0 && found.estimate.tail_efficiency == 1.0);
    found = suggest(&setup, "tile", 1000, 1000, 0, &options);
    expect_sides(found.config.grid, 32, 33, 1);
    assert_int_equal(found.estimate.rounds[1], 4);
    options.cluster[0] = 4;
    found = suggest(&setup, "tile", 100000000, 0, 0, &options);
    assert_int_equal(found.config.grid[0] % 4, 0);
    assert_int_equal(found.estimate.blocks, found.estimate.resident_blocks);
    tear_down(&setup);
}

static void test_refuses_what_is_no_question(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    const cubinet_kernel *kernel = machine_kernel(setup.module, "scale");
    const uint64_t extent[3] = {1000};
    cubinet_launch_config config = {.size = sizeof(config), .dynamic_shared_bytes = 77};
    cubinet_launch_estimate estimate = {0};
    assert_int_equal(cubinet_kernel_suggest_launch(NULL, extent, NULL, &config, NULL),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_kernel_suggest_launch(kernel, NULL, NULL, &config, NULL),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_kernel_suggest_launch(kernel, extent, NULL, NULL, NULL),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_kernel_suggest_launch(kernel, extent, NULL, &config, &estimate),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(cubinet_error_message(), "cubinet_launch_estimate"));
    cubinet_suggest_options options = {.size = sizeof(options), .flags = CUBINET_LAUNCH_NO_RECORD};
    assert_int_equal(cubinet_kernel_suggest_launch(kernel, extent, &options, &config, NULL),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(cubinet_error_message(), "knows the bits 0x10003"));
    assert_int_equal(config.dynamic_shared_bytes, 77);
    assert_int_equal(cubinet_kernel_suggest_launch(kernel, extent, NULL, &config, NULL), CUBINET_OK);
    assert_int_equal(config.dynamic_shared_bytes, 0);
    tear_down(&setup);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_suggests_for_a_row),
        cmocka_unit_test(test_spreads_small_extents),
        cmocka_unit_test(test_suggests_for_planes_and_boxes),
        cmocka_unit_test(test_folds_what_exceeds_a_grid),
        cmocka_unit_test(test_honours_launch_bounds_and_limits),
        cmocka_unit_test(test_takes_shared_memory_by_block_size),
        cmocka_unit_test(test_honours_clusters),
        cmocka_unit_test(test_honours_required_blocks),
        cmocka_unit_test(test_fits_cooperative_launches),
        cmocka_unit_test(test_refuses_what_is_no_question),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
