/* SPDX-License-Identifier: Apache-2.0 */
/* Launching: arguments, limits, shared memory, clusters, contexts. */
#include "machine.h"
#include "simcuda.h"
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

static CUdeviceptr address = 0x1234;

/* Launches a kernel of one pointer. */
static cubinet_status launch(const struct setup *setup, const char *name, const cubinet_launch_config *config)
{
    const cubinet_arg args[] = {CUBINET_ARG(address)};
    return cubinet_kernel_launch(machine_kernel(setup->module, name), config, args, 1);
}

static void expect_limit(const struct setup *setup, const char *name, const cubinet_launch_config *config,
                         const char *message)
{
    unsigned int before = simdriver_calls("cuLaunchKernelEx");
    assert_int_equal(launch(setup, name, config), CUBINET_ERROR_LIMIT);
    expect_message(name);
    expect_message(message);
    assert_int_equal(simdriver_calls("cuLaunchKernelEx"), before);
}

static void test_hands_the_launch_to_the_driver(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    CUdeviceptr data = 0xabcdef;
    float by = 2.5F;
    uint32_t count = 77;
    const cubinet_arg args[] = {CUBINET_ARG(data), CUBINET_ARG(by), CUBINET_ARG(count)};
    const cubinet_launch_config config = {
        .size = sizeof(config),
        .grid = {10, 2},
        .block = {64},
        .dynamic_shared_bytes = 100,
        .stream = (CUstream)(uintptr_t)0x55,
    };
    cubinet_kernel *kernel = machine_kernel(setup.module, "scale<float>");
    assert_int_equal(cubinet_kernel_launch(kernel, &config, args, COUNT(args)), CUBINET_OK);
    struct simdriver_launch seen = simdriver_last_launch();
    assert_string_equal(seen.kernel, "scale");
    assert_ptr_equal(seen.context, cubinet_module_get_context(setup.module));
    assert_ptr_equal(seen.stream, config.stream);
    const unsigned int grid[3] = {10, 2, 1};
    const unsigned int block[3] = {64, 1, 1};
    assert_memory_equal(seen.grid, grid, sizeof(grid));
    assert_memory_equal(seen.block, block, sizeof(block));
    assert_int_equal(seen.dynamic_shared_bytes, 100);
    assert_false(seen.cooperative);
    assert_int_equal(seen.cluster[0], 0);
    assert_int_equal(seen.arg_count, 3);
    assert_memory_equal(seen.args[0], &data, sizeof(data));
    assert_memory_equal(seen.args[1], &by, sizeof(by));
    assert_memory_equal(seen.args[2], &count, sizeof(count));
    machine_expect_current(NULL);
    tear_down(&setup);
}

static void test_refuses_wrong_arguments(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    CUdeviceptr data = 0;
    double by = 1;
    float right = 1;
    uint32_t count = 1;
    const cubinet_launch_config config = {.size = sizeof(config), .grid = {1}, .block = {1}};
    const cubinet_arg wrong[] = {CUBINET_ARG(data), CUBINET_ARG(by), CUBINET_ARG(count)};
    const cubinet_arg empty[] = {CUBINET_ARG(data), CUBINET_ARG(right), {NULL, sizeof(count)}};
    cubinet_kernel *kernel = machine_kernel(setup.module, "scale");
    assert_int_equal(cubinet_kernel_launch(kernel, &config, wrong, 2), CUBINET_ERROR_LAUNCH_ARGUMENTS);
    expect_message("'scale<float>' takes 3 arguments; 2 were given");
    assert_int_equal(cubinet_kernel_launch(kernel, &config, wrong, 3), CUBINET_ERROR_LAUNCH_ARGUMENTS);
    expect_message("argument 1 (of 3, from 0) has 8 bytes; the parameter has 4");
    assert_int_equal(cubinet_kernel_launch(kernel, &config, empty, 3), CUBINET_ERROR_LAUNCH_ARGUMENTS);
    expect_message("argument 2 (of 3, from 0) has NULL");
    assert_int_equal(cubinet_kernel_launch(kernel, &config, NULL, 3), CUBINET_ERROR_LAUNCH_ARGUMENTS);
    expect_message("arg_count is 3, but args is NULL");
    /* No memory is asked for to find out. */
    const size_t many[] = {33, 40000, (size_t)1 << 40, SIZE_MAX};
    for (size_t i = 0; i < COUNT(many); i++) {
        assert_int_equal(cubinet_kernel_launch(kernel, &config, wrong, many[i]),
                         CUBINET_ERROR_LAUNCH_ARGUMENTS);
        expect_message("'scale<float>' takes 3 arguments; ");
        assert_int_equal(cubinet_kernel_launch(kernel, &config, NULL, many[i]),
                         CUBINET_ERROR_LAUNCH_ARGUMENTS);
        expect_message(", but args is NULL");
    }
    assert_int_equal(cubinet_kernel_launch(kernel, NULL, wrong, 3), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(simdriver_calls("cuLaunchKernelEx"), 0);
    tear_down(&setup);
}

static void test_refuses_empty_launches(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    cubinet_launch_config config = {.size = sizeof(config), .grid = {0, 2, 2}, .block = {32}};
    assert_int_equal(launch(&setup, "tile", &config), CUBINET_ERROR_INVALID_ARGUMENT);
    expect_message("the x dimension of the grid is 0");
    config = (cubinet_launch_config){.size = sizeof(config), .grid = {1}};
    assert_int_equal(launch(&setup, "tile", &config), CUBINET_ERROR_INVALID_ARGUMENT);
    expect_message("the x dimension of the block is 0");
    assert_int_equal(simdriver_calls("cuLaunchKernelEx"), 0);
    tear_down(&setup);
}

static void test_checks_grid_and_block(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    cubinet_launch_config config = {.size = sizeof(config), .grid = {1, 65536}, .block = {32}};
    expect_limit(&setup, "tile", &config,
                 "grid dimension y is 65536; device 0 (Simulated GPU 9.0) takes up to 65535");
    config = (cubinet_launch_config){.size = sizeof(config), .grid = {1}, .block = {1, 1, 65}};
    expect_limit(&setup, "tile", &config, "block dimension z is 65;");
    config = (cubinet_launch_config){.size = sizeof(config), .grid = {1}, .block = {257}};
    expect_limit(&setup, "tile", &config, "at most 256 threads in a block (its launch bounds); 257 × 1 × 1");
    config = (cubinet_launch_config){
        .size = sizeof(config), .grid = {1}, .block = {UINT32_MAX, UINT32_MAX, UINT32_MAX}};
    expect_limit(&setup, "tile", &config, "at most 256 threads");
    config = (cubinet_launch_config){.size = sizeof(config), .grid = {1}, .block = {16, 16}};
    assert_int_equal(launch(&setup, "tile", &config), CUBINET_OK);
    tear_down(&setup);
}

static void test_opts_in_to_large_shared_memory(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    /* 1,024 bytes are static: this is the most without opting in. */
    cubinet_launch_config config = {
        .size = sizeof(config), .grid = {1}, .block = {32}, .dynamic_shared_bytes = 47 << 10};
    assert_int_equal(launch(&setup, "tile", &config), CUBINET_OK);
    assert_int_equal(simdriver_calls("cuKernelSetAttribute"), 0);
    config.dynamic_shared_bytes++;
    assert_int_equal(launch(&setup, "tile", &config), CUBINET_OK);
    assert_int_equal(simdriver_dynamic_shared("tile", 0), (47 << 10) + 1);
    config.dynamic_shared_bytes = 100000;
    assert_int_equal(launch(&setup, "tile", &config), CUBINET_OK);
    assert_int_equal(simdriver_dynamic_shared("tile", 0), 100000);
    config.dynamic_shared_bytes = 60000; /* never lowered: another thread may be launching with more */
    assert_int_equal(launch(&setup, "tile", &config), CUBINET_OK);
    assert_int_equal(simdriver_dynamic_shared("tile", 0), 100000);
    assert_int_equal(simdriver_calls("cuKernelSetAttribute"), 2);
    config.dynamic_shared_bytes = (227 << 10) - 1024;
    assert_int_equal(launch(&setup, "tile", &config), CUBINET_OK);
    config.dynamic_shared_bytes++;
    expect_limit(&setup, "tile", &config,
                 "232449 bytes of shared memory for each block (1024 static, 231425 dynamic)");
    expect_message("device 0 (Simulated GPU 9.0) has 232448");
    config.dynamic_shared_bytes = UINT32_MAX;
    expect_limit(&setup, "tile", &config, "has 232448");
    tear_down(&setup);
}

static void test_asks_the_driver_for_the_shared_memory_of_compiled_ptx(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "compute_80");
    cubinet_launch_config config = {
        .size = sizeof(config), .grid = {1}, .block = {32}, .dynamic_shared_bytes = 50000};
    assert_int_equal(launch(&setup, "tile", &config), CUBINET_OK);
    assert_int_equal(simdriver_dynamic_shared("tile", 0), 50000);
    config.dynamic_shared_bytes = (227 << 10) - 1023;
    expect_limit(&setup, "tile", &config, "(1024 static, ");
    tear_down(&setup);
}

static void test_launches_clusters(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    cubinet_launch_config config = {.size = sizeof(config), .grid = {16}, .block = {32}, .cluster = {4}};
    assert_int_equal(launch(&setup, "tile", &config), CUBINET_OK);
    struct simdriver_launch seen = simdriver_last_launch();
    const unsigned int cluster[3] = {4, 1, 1};
    assert_memory_equal(seen.cluster, cluster, sizeof(cluster));
    config.cluster[0] = 16; /* more than is portable */
    assert_int_equal(launch(&setup, "tile", &config), CUBINET_OK);
    assert_int_equal(launch(&setup, "tile", &config), CUBINET_OK);
    assert_int_equal(simdriver_calls("cuKernelSetAttribute"), 1);
    config.cluster[0] = 3;
    expect_limit(&setup, "tile", &config,
                 "grid dimension x is 16, which is not a multiple of its cluster's 3");
    tear_down(&setup);
}

static void test_keeps_a_kernels_own_cluster(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    cubinet_launch_config config = {.size = sizeof(config), .grid = {6}, .block = {32}};
    assert_int_equal(launch(&setup, "clustered", &config), CUBINET_OK);
    struct simdriver_launch seen = simdriver_last_launch();
    assert_int_equal(seen.cluster[0], 0);
    config.cluster[0] = 2;
    assert_int_equal(launch(&setup, "clustered", &config), CUBINET_OK);
    config.cluster[0] = 3;
    expect_limit(&setup, "clustered", &config, "compiled for clusters of 2 × 1 × 1 blocks; 3 × 1 × 1");
    config.cluster[0] = 0;
    config.grid[0] = 5;
    expect_limit(&setup, "clustered", &config, "not a multiple of its cluster's 2");
    tear_down(&setup);
}

static void test_knows_devices_without_clusters_or_cooperation(void **state)
{
    (void)state;
    struct setup setup = set_up("8.0", "sm_80");
    cubinet_launch_config config = {.size = sizeof(config), .grid = {4}, .block = {32}, .cluster = {2}};
    expect_limit(&setup, "tile", &config, "compute capability 8.0) has no clusters");
    config = (cubinet_launch_config){
        .size = sizeof(config), .grid = {1}, .block = {32}, .flags = CUBINET_LAUNCH_COOPERATIVE};
    assert_int_equal(launch(&setup, "tile", &config), CUBINET_OK);
    struct simdriver_launch seen = simdriver_last_launch();
    assert_true(seen.cooperative);
    tear_down(&setup);
}

static void test_leaves_the_current_context_alone(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0,8.0", "sm_80 sm_90");
    const cubinet_launch_config config = {.size = sizeof(config), .grid = {1}, .block = {32}};
    CUcontext other = simdriver_create_context(1);
    CUcontext popped = NULL;
    assert_int_equal(cuCtxPushCurrent_v2(other), 0);
    assert_int_equal(launch(&setup, "tile", &config), CUBINET_OK);
    machine_expect_current(other);
    simdriver_fail("cuLaunchKernelEx", 1, CBN_CU_ILLEGAL_ADDRESS, false);
    assert_int_equal(launch(&setup, "tile", &config), CUBINET_ERROR_CONTEXT_DEAD);
    machine_expect_current(other);
    assert_int_equal(cuCtxPopCurrent_v2(&popped), 0);
    /* Nothing is pushed when the context is current already. */
    assert_int_equal(cuCtxPushCurrent_v2(cubinet_module_get_context(setup.module)), 0);
    unsigned int pushes = simdriver_calls("cuCtxPushCurrent");
    assert_int_equal(launch(&setup, "tile", &config), CUBINET_OK);
    assert_int_equal(simdriver_calls("cuCtxPushCurrent"), pushes);
    assert_int_equal(cuCtxPopCurrent_v2(&popped), 0);
    tear_down(&setup);
}

/* The driver's own words do not say what to do. */
static void test_a_context_that_was_reset(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    const cubinet_launch_config config = {.size = sizeof(config), .grid = {1}, .block = {32}};
    simdriver_fail("cuLaunchKernelEx", 1, CBN_CU_INVALID_HANDLE, false);
    assert_int_equal(launch(&setup, "tile", &config), CUBINET_ERROR_DRIVER);
    assert_non_null(
        strstr(cubinet_error_message(), "cudaDeviceReset() was called after the module was loaded"));
    simdriver_fail("cuLaunchKernelEx", 1, CBN_CU_CONTEXT_IS_DESTROYED, false);
    assert_int_equal(launch(&setup, "tile", &config), CUBINET_ERROR_CONTEXT_DEAD);
    assert_non_null(strstr(cubinet_error_message(), "make another context current and load modules again"));
    tear_down(&setup);
}

static void test_asks_for_a_function_once(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    const cubinet_launch_config config = {.size = sizeof(config), .grid = {1}, .block = {32}};
    unsigned int before = simdriver_calls("cuKernelGetFunction");
    for (int i = 0; i < 10; i++) {
        assert_int_equal(launch(&setup, "tile", &config), CUBINET_OK);
    }
    assert_int_equal(simdriver_calls("cuKernelGetFunction"), before + 1);
    tear_down(&setup);
}

static void test_launches_with_many_arguments(void **state)
{
    (void)state;
    enum { MANY = 100 };
    static const unsigned int counts[] = {63, 64, 65, MANY};
    for (size_t i = 0; i < COUNT(counts); i++) {
        const unsigned int count = counts[i];
        cubinet_driver *driver = machine_start("9.0", NULL, NULL);
        cubinet_archive *archive = machine_wide_archive(count);
        cubinet_module *module = NULL;
        assert_int_equal(cubinet_module_load(driver, archive, "wide", 0, NULL, &module), CUBINET_OK);
        uint32_t values[MANY];
        cubinet_arg args[MANY];
        for (unsigned int arg = 0; arg < count; arg++) {
            values[arg] = arg * arg;
            args[arg] = (cubinet_arg)CUBINET_ARG(values[arg]);
        }
        const cubinet_launch_config config = {.size = sizeof(config), .grid = {1}, .block = {1}};
        assert_int_equal(cubinet_kernel_launch(machine_kernel(module, "wide"), &config, args, count),
                         CUBINET_OK);
        struct simdriver_launch seen = simdriver_last_launch();
        assert_int_equal(seen.arg_count, count);
        for (unsigned int arg = 0; arg < count; arg++) {
            assert_memory_equal(seen.args[arg], &values[arg], sizeof(values[arg]));
        }
        assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
        cubinet_archive_close(archive);
        machine_stop(driver);
    }
}

static void test_reads_configs_of_other_versions(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    /* An older program's, which knows nothing after the dynamic shared memory. */
    cubinet_launch_config config = {.size = offsetof(cubinet_launch_config, cluster),
                                    .grid = {1},
                                    .block = {32},
                                    .cluster = {7},
                                    .flags = CUBINET_LAUNCH_COOPERATIVE};
    assert_int_equal(launch(&setup, "tile", &config), CUBINET_OK);
    struct simdriver_launch seen = simdriver_last_launch();
    assert_false(seen.cooperative);
    config.size = 0;
    assert_int_equal(launch(&setup, "tile", &config), CUBINET_ERROR_INVALID_ARGUMENT);
    tear_down(&setup);
}

/* Machine code of tile kernels was compiled for blocks of 128 threads, and is launched with blocks of one. */
static void test_launches_tile_kernels_by_tiles(void **state)
{
    (void)state;
    static const char *const images[] = {"sm_80=tiles", "tile_132"};
    static const char *const kernels[] = {"scale_f32", "scale"};
    for (size_t i = 0; i < COUNT(images); i++) {
        cubinet_driver *driver = machine_start_release("8.0", 13020);
        cubinet_archive *archive = machine_archive(images[i], 0);
        cubinet_module *module = machine_load(driver, archive, 0);
        cubinet_kernel *kernel = machine_kernel(module, kernels[i]);
        cubinet_launch_config config = {.size = sizeof(config), .grid = {7, 3}, .block = {1}};
        const uint32_t length = 112, stride = 1;
        const float factor = 2;
        const cubinet_arg args[] = {CUBINET_ARG(address), CUBINET_ARG(length), CUBINET_ARG(stride),
                                    CUBINET_ARG(factor)};
        assert_int_equal(cubinet_kernel_launch(kernel, &config, args, COUNT(args)), CUBINET_OK);
        assert_int_equal(simdriver_last_launch().grid[0], 7);
        assert_int_equal(simdriver_last_launch().block[0], 1);
        /* Tile IR tells no parameters. */
        const cubinet_arg empty[] = {args[0], args[1], args[2], {NULL, sizeof(factor)}};
        assert_int_equal(cubinet_kernel_launch(kernel, &config, empty, COUNT(empty)),
                         CUBINET_ERROR_LAUNCH_ARGUMENTS);
        expect_message("argument 3 (of 4, from 0) has NULL");
        assert_int_equal(cubinet_kernel_launch(kernel, &config, args, (size_t)1 << 40),
                         CUBINET_ERROR_LAUNCH_ARGUMENTS);
        expect_message("1099511627776 ");
        config.block[0] = 128;
        assert_int_equal(cubinet_kernel_launch(kernel, &config, args, COUNT(args)), CUBINET_ERROR_LIMIT);
        expect_message(
            "is a tile kernel, whose blocks are launched as 1 × 1 × 1; 128 × 1 × 1 were asked for");
        const uint64_t extent[3] = {112};
        cubinet_launch_config suggestion = {.size = sizeof(suggestion)};
        assert_int_equal(cubinet_kernel_suggest_launch(kernel, extent, NULL, &suggestion, NULL),
                         CUBINET_ERROR_INVALID_ARGUMENT);
        expect_message("is a tile kernel: its grid counts its tiles");
        assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
        cubinet_archive_close(archive);
        machine_stop(driver);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hands_the_launch_to_the_driver),
        cmocka_unit_test(test_refuses_wrong_arguments),
        cmocka_unit_test(test_refuses_empty_launches),
        cmocka_unit_test(test_checks_grid_and_block),
        cmocka_unit_test(test_opts_in_to_large_shared_memory),
        cmocka_unit_test(test_asks_the_driver_for_the_shared_memory_of_compiled_ptx),
        cmocka_unit_test(test_launches_clusters),
        cmocka_unit_test(test_keeps_a_kernels_own_cluster),
        cmocka_unit_test(test_knows_devices_without_clusters_or_cooperation),
        cmocka_unit_test(test_leaves_the_current_context_alone),
        cmocka_unit_test(test_a_context_that_was_reset),
        cmocka_unit_test(test_asks_for_a_function_once),
        cmocka_unit_test(test_launches_with_many_arguments),
        cmocka_unit_test(test_reads_configs_of_other_versions),
        cmocka_unit_test(test_launches_tile_kernels_by_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
