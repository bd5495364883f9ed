/* SPDX-License-Identifier: Apache-2.0 */
/* One launch on several devices and streams, and contexts with a part of a device. */
#include "launch_setup.h"
#include "simcuda.h"

enum { DEVICES = 3 };

struct machine {
    cubinet_driver *driver;
    cubinet_archive *archive;
    cubinet_module *modules[DEVICES];
    cubinet_launch_target targets[DEVICES];
};

static struct machine start(void)
{
    struct machine machine = {.driver = machine_start("9.0,9.0,8.0", NULL, NULL),
                              .archive = machine_archive("sm_80 sm_90", 0)};
    for (int i = 0; i < DEVICES; i++) {
        machine.modules[i] = machine_load(machine.driver, machine.archive, i);
        machine.targets[i] = (cubinet_launch_target){.kernel = machine_kernel(machine.modules[i], "tile"),
                                                     .stream = (CUstream)(uintptr_t)(0x50 + i)};
    }
    return machine;
}

static void stop(struct machine *machine)
{
    simdriver_fail_none();
    for (int i = 0; i < DEVICES; i++) {
        assert_int_equal(cubinet_module_unload(machine->modules[i]), CUBINET_OK);
    }
    cubinet_archive_close(machine->archive);
    machine_stop(machine->driver);
}

static CUdeviceptr address = 0x1234;
static const cubinet_launch_config config = {.size = sizeof(config), .grid = {4}, .block = {32}};

static cubinet_status each(const struct machine *machine, const cubinet_launch_config *given,
                           size_t *out_launched)
{
    const cubinet_arg args[] = {CUBINET_ARG(address)};
    return cubinet_launch_each(given, args, 1, machine->targets, DEVICES, out_launched);
}

static void test_launches_on_every_device(void **state)
{
    (void)state;
    struct machine machine = start();
    size_t launched = 99;
    CUdeviceptr own = 0x5678;
    const cubinet_arg own_args[] = {CUBINET_ARG(own)};
    machine.targets[2].args = own_args;
    machine.targets[2].arg_count = 1;
    assert_int_equal(each(&machine, &config, &launched), CUBINET_OK);
    assert_int_equal(launched, DEVICES);
    assert_int_equal(simdriver_calls("cuLaunchKernelEx"), DEVICES);
    const struct simdriver_launch seen = simdriver_last_launch();
    assert_int_equal(seen.device, 2);
    assert_ptr_equal(seen.stream, (CUstream)(uintptr_t)0x52);
    assert_memory_equal(seen.args[0], &own, sizeof(own));
    machine_expect_current(NULL);
    assert_int_equal(cubinet_launch_each(&config, NULL, 0, NULL, 0, NULL), CUBINET_OK);
    stop(&machine);
}

static void test_says_which_is_wrong_before_any_launch(void **state)
{
    (void)state;
    struct machine machine = start();
    size_t launched = 99;
    cubinet_launch_config clustered = config;
    clustered.cluster[0] = 2;
    assert_int_equal(each(&machine, &clustered, &launched), CUBINET_ERROR_LIMIT);
    expect_message("launch 2 (of 3, from 0), on device 2: kernel 'tile'");
    assert_int_equal(launched, 0);
    machine.targets[1].arg_count = 1;
    assert_int_equal(each(&machine, &config, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
    expect_message("launch 1 (of 3, from 0), on device 1: arg_count is not 0, and args is NULL");
    machine.targets[1].arg_count = 0;
    machine.targets[1].reserved = 1;
    assert_int_equal(each(&machine, &config, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
    machine.targets[1].reserved = 0;
    const cubinet_kernel *kernel = machine.targets[1].kernel;
    machine.targets[1].kernel = NULL;
    assert_int_equal(each(&machine, &config, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
    expect_message("launch 1 (of 3, from 0): cubinet_launch_each: kernel is NULL");
    machine.targets[1].kernel = kernel;
    assert_int_equal(simdriver_calls("cuLaunchKernelEx"), 0);
    stop(&machine);
}

static void test_refuses_what_is_one_launchs(void **state)
{
    (void)state;
    struct machine machine = start();
    CUgraphDeviceNode node = NULL;
    const cubinet_launch_attributes shared[] = {
        {.size = sizeof(shared[0]), .programmatic_event = (CUevent)1},
        {.size = sizeof(shared[0]), .completion_event = (CUevent)1},
        {.size = sizeof(shared[0]), .flags = CUBINET_ATTRIBUTE_DEVICE_UPDATABLE, .out_device_node = &node},
    };
    cubinet_launch_config given = config;
    for (size_t i = 0; i < COUNT(shared); i++) {
        given.attributes = &shared[i];
        assert_int_equal(each(&machine, &given, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
        expect_message("launch 0 (of 3, from 0), on device 0: kernel 'tile': an event");
    }
    given = config;
    given.stream = (CUstream)(uintptr_t)1;
    assert_int_equal(each(&machine, &given, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
    expect_message("each target has its own");
    assert_int_equal(each(&machine, NULL, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
    expect_message("config is NULL");
    assert_int_equal(cubinet_launch_each(&config, NULL, 0, NULL, 1, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
    expect_message("targets is NULL");
    given.size = 0;
    assert_int_equal(each(&machine, &given, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(simdriver_calls("cuLaunchKernelEx"), 0);
    stop(&machine);
}

static void test_says_how_many_were_launched(void **state)
{
    (void)state;
    struct machine machine = start();
    size_t launched = 99;
    simdriver_fail("cuLaunchKernelEx", 2, CBN_CU_OUT_OF_MEMORY, false);
    assert_int_equal(each(&machine, &config, &launched), CUBINET_ERROR_DEVICE_MEMORY);
    expect_message("launch 1 (of 3, from 0), on device 1: launching kernel 'tile'");
    assert_int_equal(launched, 1);
    assert_int_equal(simdriver_calls("cuLaunchKernelEx"), 2);
    stop(&machine);
}

static cubinet_launch_estimate suggest(const cubinet_module *module, uint32_t flags,
                                       cubinet_launch_config *out_config)
{
    const uint64_t extent[3] = {1U << 24};
    const cubinet_suggest_options options = {.size = sizeof(options), .flags = flags};
    cubinet_launch_estimate estimate = {.size = sizeof(estimate)};
    *out_config = (cubinet_launch_config){.size = sizeof(*out_config)};
    assert_int_equal(cubinet_kernel_suggest_launch(machine_kernel((cubinet_module *)module, "tile"), extent,
                                                   &options, out_config, &estimate),
                     CUBINET_OK);
    return estimate;
}

/* A module that was loaded while a green context is current lives there. */
static void test_counts_the_multiprocessors_of_the_context(void **state)
{
    (void)state;
    struct setup whole = set_up("9.0", "sm_90");
    CUcontext green = simdriver_create_green_context(0, 16);
    CUcontext popped = NULL;
    assert_int_equal(cuCtxPushCurrent_v2(green), 0);
    cubinet_module *part = machine_load(whole.driver, whole.archive, 0);
    assert_int_equal(cuCtxPopCurrent_v2(&popped), 0);
    assert_ptr_equal(cubinet_module_get_context(part), green);
    cubinet_launch_config config_whole, config_part;
    const cubinet_launch_estimate all = suggest(whole.module, CUBINET_LAUNCH_COOPERATIVE, &config_whole);
    const cubinet_launch_estimate few = suggest(part, CUBINET_LAUNCH_COOPERATIVE, &config_part);
    assert_int_equal(all.resident_blocks % 132, 0);
    assert_int_equal(few.resident_blocks, all.resident_blocks / 132 * 16);
    assert_int_equal(config_part.grid[0], few.resident_blocks);
    assert_int_equal(config_whole.grid[0], all.resident_blocks);
    uint32_t threads = 0, blocks_whole = 0, blocks_part = 0;
    assert_int_equal(cubinet_kernel_get_max_block_size(machine_kernel(whole.module, "tile"), NULL, &threads,
                                                       &blocks_whole),
                     CUBINET_OK);
    assert_int_equal(
        cubinet_kernel_get_max_block_size(machine_kernel(part, "tile"), NULL, &threads, &blocks_part),
        CUBINET_OK);
    assert_int_equal(blocks_part, blocks_whole / 132 * 16);
    const uint64_t extent[3] = {1U << 24};
    cubinet_launch_estimate clusters = {.size = sizeof(clusters)};
    assert_int_equal(cubinet_kernel_suggest_launch(machine_kernel(part, "clustered"), extent, NULL,
                                                   &config_part, &clusters),
                     CUBINET_OK);
    assert_true(clusters.resident_blocks <= 16 * 32);
    assert_int_equal(simdriver_calls("cuCtxGetDevResource"), 2); /* once for each module */
    assert_int_equal(cubinet_module_unload(part), CUBINET_OK);
    tear_down(&whole);
}

static void test_counts_the_devices_where_the_driver_does_not_tell(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    cubinet_launch_config suggested;
    simdriver_fail("cuCtxGetDevResource", 1, CBN_CU_NOT_SUPPORTED, true);
    assert_int_equal(suggest(setup.module, 0, &suggested).resident_blocks % 132, 0);
    tear_down(&setup);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launches_on_every_device),
        cmocka_unit_test(test_says_which_is_wrong_before_any_launch),
        cmocka_unit_test(test_refuses_what_is_one_launchs),
        cmocka_unit_test(test_says_how_many_were_launched),
        cmocka_unit_test(test_counts_the_multiprocessors_of_the_context),
        cmocka_unit_test(test_counts_the_devices_where_the_driver_does_not_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
