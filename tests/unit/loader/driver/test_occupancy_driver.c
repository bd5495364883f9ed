/* SPDX-License-Identifier: Apache-2.0 */
/* Occupancy of loaded kernels, by a simulated driver that counts in its own way. */
#include "loader/driver/cuda_abi.h"
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
    simdriver_fail_none();
    assert_int_equal(cubinet_module_unload(setup->module), CUBINET_OK);
    cubinet_archive_close(setup->archive);
    machine_stop(setup->driver);
}

static void expect_message(const char *part)
{
    if (!strstr(cubinet_error_message(), part)) {
        print_error("'%s' is not in the message: %s\n", part, cubinet_error_message());
        fail();
    }
}

/* Every block size of a kernel, with and without a GPU. */
static void compare_kernel(const struct setup *setup, const char *name)
{
    cubinet_kernel *kernel = machine_kernel(setup->module, name);
    cubinet_kernel_resources resources = {.size = sizeof(resources)};
    cubinet_device_limits limits = {.size = sizeof(limits)};
    assert_int_equal(cubinet_kernel_get_resources(kernel, &resources), CUBINET_OK);
    assert_int_equal(cubinet_driver_get_limits(setup->driver, 0, &limits), CUBINET_OK);
    uint32_t most_dynamic = limits.max_shared_bytes_per_block_optin - resources.static_shared_bytes;
    for (uint32_t threads = 1; threads <= resources.max_threads_per_block; threads += 31) {
        for (uint32_t dynamic = 0; dynamic <= most_dynamic; dynamic += most_dynamic / 7) {
            const cubinet_launch_config config = {
                .size = sizeof(config), .block = {threads}, .dynamic_shared_bytes = dynamic};
            cubinet_occupancy with = {.size = sizeof(with)};
            cubinet_occupancy without = {.size = sizeof(without)};
            uint32_t blocks = 0;
            assert_int_equal(cubinet_kernel_get_max_active_blocks(kernel, &config, &blocks), CUBINET_OK);
            assert_int_equal(cubinet_kernel_get_occupancy(kernel, &config, &with), CUBINET_OK);
            assert_int_equal(cubinet_occupancy_compute(&limits, &resources, threads, dynamic, &without),
                             CUBINET_OK);
            assert_memory_equal(&with, &without, sizeof(with));
            assert_int_equal(blocks, with.active_blocks_per_multiprocessor);
        }
    }
}

static void test_agrees_with_the_arithmetic(void **state)
{
    (void)state;
    static const char *const machines[][2] = {
        {"7.5", "sm_75"}, {"8.0", "sm_80"},  {"8.6", "sm_80"},   {"8.9", "sm_80"},
        {"9.0", "sm_90"}, {"9.0", "sm_90a"}, {"12.0", "sm_120"}, {"12.1", "sm_120"},
    };
    for (size_t i = 0; i < COUNT(machines); i++) {
        struct setup setup = set_up(machines[i][0], machines[i][1]);
        compare_kernel(&setup, "scale");
        compare_kernel(&setup, "tile");
        tear_down(&setup);
    }
}

static void test_limits_are_those_of_the_table(void **state)
{
    (void)state;
    static const char *const devices[] = {"7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "11.0", "12.0"};
    for (size_t i = 0; i < COUNT(devices); i++) {
        cubinet_driver *driver = machine_start(devices[i], NULL, NULL);
        cubinet_device_limits of_device = {.size = sizeof(of_device)};
        cubinet_device_limits of_table = {.size = sizeof(of_table)};
        assert_int_equal(cubinet_driver_get_limits(driver, 0, &of_device), CUBINET_OK);
        assert_int_equal(
            cubinet_device_limits_of_compute(of_device.compute_major, of_device.compute_minor, &of_table),
            CUBINET_OK);
        assert_int_equal(of_device.multiprocessor_count, 132);
        of_device.multiprocessor_count = 0;
        assert_memory_equal(&of_device, &of_table, sizeof(of_table));
        assert_int_equal(cubinet_driver_get_limits(driver, 1, &of_device), CUBINET_ERROR_NO_DEVICE);
        machine_stop(driver);
    }
}

/* One that came after this version: what the driver tells, and the rest of the one before. */
static void test_knows_enough_of_a_new_device(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("13.2", NULL, NULL);
    cubinet_device_limits limits = {.size = sizeof(limits)};
    assert_int_equal(cubinet_driver_get_limits(driver, 0, &limits), CUBINET_OK);
    assert_int_equal(limits.compute_major, 13);
    assert_int_equal(limits.compute_minor, 2);
    assert_int_equal(limits.max_warps_per_multiprocessor, 48);
    assert_int_equal(limits.register_allocation_unit, 256);
    machine_stop(driver);
}

static void test_says_which_limit(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    cubinet_kernel *kernel = machine_kernel(setup.module, "tile");
    uint32_t number = 77;
    cubinet_launch_config config = {.size = sizeof(config), .block = {257}};
    assert_int_equal(cubinet_kernel_get_max_active_blocks(kernel, &config, &number), CUBINET_ERROR_LIMIT);
    expect_message("at most 256 threads in a block (its launch bounds)");
    config =
        (cubinet_launch_config){.size = sizeof(config), .block = {32}, .dynamic_shared_bytes = 227 << 10};
    assert_int_equal(cubinet_kernel_get_max_active_blocks(kernel, &config, &number), CUBINET_ERROR_LIMIT);
    expect_message("233472 bytes of shared memory for each block (1024 static, 232448 dynamic)");
    cubinet_block_size_options options = {.size = sizeof(options), .dynamic_shared_bytes = 227 << 10};
    assert_int_equal(cubinet_kernel_get_max_block_size(kernel, &options, &number, NULL), CUBINET_ERROR_LIMIT);
    expect_message("1024 static");
    assert_int_equal(cubinet_kernel_get_available_dynamic_shared(kernel, 33, 32, &number),
                     CUBINET_ERROR_LIMIT);
    expect_message("holds 32 blocks of 32 threads even without dynamic shared memory; 33 were asked for");
    assert_int_equal(cubinet_kernel_get_available_dynamic_shared(kernel, 0, 32, &number),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    config = (cubinet_launch_config){.size = sizeof(config), .block = {32}, .grid = {3}, .cluster = {2}};
    assert_int_equal(cubinet_kernel_get_max_active_clusters(kernel, &config, &number), CUBINET_ERROR_LIMIT);
    expect_message("not a multiple of its cluster's 2");
    assert_int_equal(cubinet_kernel_get_max_active_blocks(NULL, &config, &number),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_kernel_get_max_active_blocks(kernel, NULL, &number),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(number, 77);
    tear_down(&setup);
}

static uint32_t much_for_large_blocks(uint32_t block_threads, void *user)
{
    (*(int *)user)++;
    return block_threads > 128 ? 200 << 10 : block_threads * 8;
}

static void test_finds_block_sizes(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    cubinet_kernel *kernel = machine_kernel(setup.module, "tile");
    uint32_t threads = 0;
    uint32_t grid = 0;
    assert_int_equal(cubinet_kernel_get_max_block_size(kernel, NULL, &threads, &grid), CUBINET_OK);
    assert_int_equal(threads, 256);
    assert_int_equal(grid, 8 * 132);
    cubinet_block_size_options options = {.size = sizeof(options), .max_block_threads = 100};
    assert_int_equal(cubinet_kernel_get_max_block_size(kernel, &options, &threads, &grid), CUBINET_OK);
    assert_int_equal(threads, 64);
    assert_int_equal(simdriver_calls("cuKernelSetAttribute"), 0);
    int calls = 0;
    options = (cubinet_block_size_options){
        .size = sizeof(options), .dynamic_shared_fn = much_for_large_blocks, .dynamic_shared_user = &calls};
    assert_int_equal(cubinet_kernel_get_max_block_size(kernel, &options, &threads, &grid), CUBINET_OK);
    assert_int_equal(threads, 128);
    assert_true(calls > 1);
    assert_int_equal(simdriver_dynamic_shared("tile", 0), 226 << 10); /* all there is */
    tear_down(&setup);
}

static void test_corrects_the_available_memory(void **state)
{
    (void)state;
    static const int releases[] = {13000, 13010};
    for (size_t i = 0; i < COUNT(releases); i++) {
        struct setup setup = {.driver = machine_start_release("9.0", releases[i]),
                              .archive = machine_archive("sm_90", 0)};
        setup.module = machine_load(setup.driver, setup.archive, 0);
        cubinet_kernel *kernel = machine_kernel(setup.module, "tile");
        uint32_t bytes = 0;
        assert_int_equal(cubinet_kernel_get_available_dynamic_shared(kernel, 1, 256, &bytes), CUBINET_OK);
        assert_int_equal(bytes, 226 << 10);
        assert_int_equal(cubinet_kernel_get_available_dynamic_shared(kernel, 2, 256, &bytes), CUBINET_OK);
        assert_int_equal(bytes, 112 << 10);
        assert_int_equal(cubinet_kernel_get_available_dynamic_shared(kernel, 8, 256, &bytes), CUBINET_OK);
        assert_int_equal(bytes, 29184 - 2048);
        tear_down(&setup);
    }
}

static void test_asks_for_clusters(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    uint32_t number = 0;
    cubinet_launch_config config = {.size = sizeof(config), .block = {256}, .cluster = {4}};
    cubinet_kernel *tile = machine_kernel(setup.module, "tile");
    assert_int_equal(cubinet_kernel_get_max_active_clusters(tile, &config, &number), CUBINET_OK);
    assert_int_equal(number, 132 * 8 / 4);
    config.cluster[0] = 16;
    assert_int_equal(cubinet_kernel_get_max_active_clusters(tile, &config, &number), CUBINET_OK);
    assert_int_equal(number, 132 * 8 / 16);
    config.cluster[0] = 0;
    assert_int_equal(cubinet_kernel_get_max_active_clusters(tile, &config, &number), CUBINET_OK);
    assert_int_equal(number, 132 * 8);
    assert_int_equal(cubinet_kernel_get_max_cluster_size(tile, &config, &number), CUBINET_OK);
    assert_int_equal(number, 16);
    cubinet_kernel *clustered = machine_kernel(setup.module, "clustered");
    config.block[0] = 1024;
    assert_int_equal(cubinet_kernel_get_max_active_clusters(clustered, &config, &number), CUBINET_OK);
    assert_int_equal(number, 132 * 2 / 2);
    tear_down(&setup);
    setup = set_up("8.0", "sm_80");
    tile = machine_kernel(setup.module, "tile");
    assert_int_equal(cubinet_kernel_get_max_cluster_size(tile, &config, &number), CUBINET_ERROR_LIMIT);
    expect_message("compute capability 8.0) has no clusters");
    tear_down(&setup);
}

static void test_follows_the_carve_out(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    cubinet_kernel *kernel = machine_kernel(setup.module, "tile");
    const cubinet_launch_config config = {.size = sizeof(config), .block = {32}};
    cubinet_occupancy occupancy = {.size = sizeof(occupancy)};
    static const struct {
        int percent;
        uint32_t blocks;
    } cases[] = {{0, 4}, {10, 16}, {100, 32}, {-1, 32}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(cubinet_kernel_prefer_shared(kernel, cases[i].percent), CUBINET_OK);
        assert_int_equal(cubinet_kernel_get_occupancy(kernel, &config, &occupancy), CUBINET_OK);
        assert_int_equal(occupancy.active_blocks_per_multiprocessor, cases[i].blocks);
        assert_int_equal(occupancy.limiters & CUBINET_LIMITER_OTHER, 0);
    }
    assert_int_equal(cubinet_kernel_prefer_shared(kernel, 101), CUBINET_ERROR_INVALID_ARGUMENT);
    expect_message("101 percent");
    tear_down(&setup);
}

static void test_knows_code_that_the_driver_compiled(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "compute_80");
    const cubinet_launch_config config = {.size = sizeof(config), .block = {128}};
    cubinet_occupancy occupancy = {.size = sizeof(occupancy)};
    assert_int_equal(cubinet_kernel_get_occupancy(machine_kernel(setup.module, "tile"), &config, &occupancy),
                     CUBINET_OK);
    assert_int_equal(occupancy.active_blocks_per_multiprocessor, 16);
    assert_int_equal(occupancy.allocated_shared_bytes_per_block, 2048);
    tear_down(&setup);
}

/* Each driver call in turn fails, and says so. */
static void test_passes_on_failures(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    cubinet_kernel *kernel = machine_kernel(setup.module, "tile");
    const cubinet_launch_config config = {
        .size = sizeof(config), .block = {32}, .dynamic_shared_bytes = 60000, .cluster = {16}};
    for (unsigned int call = 1; call < 100; call++) {
        uint32_t number = 77;
        cubinet_occupancy occupancy = {.size = sizeof(occupancy)};
        cubinet_launch_config suggestion = {.size = sizeof(suggestion), .block = {77}};
        const cubinet_suggest_options options = {.size = sizeof(options), .cluster = {16}};
        const uint64_t extent[3] = {100};
        simdriver_fail(NULL, call, CBN_CU_UNKNOWN, true);
        bool failed = cubinet_kernel_get_max_active_blocks(kernel, &config, &number) != CUBINET_OK;
        assert_true(!failed || number == 77);
        failed |= cubinet_kernel_get_occupancy(kernel, &config, &occupancy) != CUBINET_OK;
        failed |= cubinet_kernel_get_max_block_size(kernel, NULL, &number, NULL) != CUBINET_OK;
        failed |= cubinet_kernel_get_available_dynamic_shared(kernel, 1, 32, &number) != CUBINET_OK;
        failed |= cubinet_kernel_get_max_active_clusters(kernel, &config, &number) != CUBINET_OK;
        failed |= cubinet_kernel_get_max_cluster_size(kernel, &config, &number) != CUBINET_OK;
        bool suggested =
            cubinet_kernel_suggest_launch(kernel, extent, &options, &suggestion, NULL) == CUBINET_OK;
        assert_int_equal(suggestion.block[0] == 77, !suggested);
        simdriver_fail_none();
        if (!failed && suggested) {
            assert_true(call > 20);
            tear_down(&setup);
            return;
        }
        assert_int_equal(cubinet_error_driver_result(), CBN_CU_UNKNOWN);
    }
    fail();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agrees_with_the_arithmetic),
        cmocka_unit_test(test_limits_are_those_of_the_table),
        cmocka_unit_test(test_knows_enough_of_a_new_device),
        cmocka_unit_test(test_says_which_limit),
        cmocka_unit_test(test_finds_block_sizes),
        cmocka_unit_test(test_corrects_the_available_memory),
        cmocka_unit_test(test_asks_for_clusters),
        cmocka_unit_test(test_follows_the_carve_out),
        cmocka_unit_test(test_knows_code_that_the_driver_compiled),
        cmocka_unit_test(test_passes_on_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
