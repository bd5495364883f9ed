/* SPDX-License-Identifier: Apache-2.0 */
/* Loading a module for several devices at once: who shares what, all or none, unloading in any order. */
#include "machine.h"
#include "simcuda.h"
#include "unit.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 8 };

static void expect_in(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        print_error("'%s' is not in: %s\n", part, text);
        fail();
    }
}

static void load_all(cubinet_driver *driver, const cubinet_archive *archive, cubinet_module **modules)
{
    size_t count = (size_t)cubinet_driver_get_device_count(driver);
    assert_true(count <= MOST);
    cubinet_status status = cubinet_module_load_devices(driver, archive, DEMO, NULL, count, NULL, modules);
    if (status) {
        print_error("%s\n", cubinet_error_message());
    }
    assert_int_equal(status, CUBINET_OK);
}

static void unload(cubinet_module *module)
{
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
}

static void expect_launched(cubinet_module *module, int device)
{
    CUdeviceptr address = 0;
    const cubinet_arg args[] = {CUBINET_ARG(address)};
    const cubinet_launch_config config = {.size = sizeof(config), .grid = {1}, .block = {32}};
    assert_int_equal(cubinet_kernel_launch(machine_kernel(module, "tile"), &config, args, 1), CUBINET_OK);
    struct simdriver_launch launch = simdriver_last_launch();
    assert_string_equal(launch.kernel, "tile");
    assert_int_equal(launch.device, device);
    assert_ptr_equal(launch.context, cubinet_module_get_context(module));
}

static void devices_of_one_capability_share_the_code(void **state)
{
    (void)state;
    static const char *const expected[] = {"sm_90a", "sm_80", "sm_90a", "sm_87", "sm_80", "sm_90a"};
    cubinet_driver *driver = machine_start("9.0,8.6,9.0,8.7t,8.6,9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_75 sm_80 sm_87 sm_90 sm_90a compute_80", 19);
    cubinet_module *modules[MOST];
    char name[CUBINET_TARGET_NAME_SIZE];
    load_all(driver, archive, modules);
    cubinet_archive_close(archive); /* the modules keep what they need */
    machine_expect_current(NULL);
    assert_int_equal(simdriver_calls("cuLibraryLoadData"), 3);
    assert_int_equal(simdriver_live_libraries(), 3);
    for (int device = 0; device < 6; device++) {
        assert_string_equal(machine_loaded(modules[device], name), expected[device]);
        expect_launched(modules[device], device);
    }
    assert_ptr_equal(cubinet_module_get_library(modules[0]), cubinet_module_get_library(modules[5]));
    assert_ptr_equal(cubinet_module_get_library(modules[1]), cubinet_module_get_library(modules[4]));
    assert_ptr_not_equal(cubinet_module_get_library(modules[0]), cubinet_module_get_library(modules[1]));
    assert_ptr_not_equal(cubinet_module_get_context(modules[0]), cubinet_module_get_context(modules[2]));
    for (int device = 0; device < 6; device++) {
        unload(modules[device]);
    }
    assert_int_equal(simdriver_calls("cuLibraryUnload"), 3);
    machine_stop(driver);
}

/* Each device has globals, functions and opted-in memory of its own, though the code is one. */
static void what_belongs_to_a_device_stays_its_own(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0,9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_90", 0);
    cubinet_module *modules[MOST];
    CUdeviceptr tables[2];
    CUfunction functions[2];
    load_all(driver, archive, modules);
    for (int device = 0; device < 2; device++) {
        assert_int_equal(cubinet_module_find_global(modules[device], "table", &tables[device], NULL),
                         CUBINET_OK);
        assert_int_equal(
            cubinet_kernel_get_function(machine_kernel(modules[device], "tile"), &functions[device]),
            CUBINET_OK);
    }
    assert_true(tables[0] != tables[1]);
    assert_ptr_not_equal(functions[0], functions[1]);
    CUdeviceptr address = 0;
    const cubinet_arg args[] = {CUBINET_ARG(address)};
    const cubinet_launch_config config = {
        .size = sizeof(config), .grid = {1}, .block = {32}, .dynamic_shared_bytes = 60000};
    assert_int_equal(cubinet_kernel_launch(machine_kernel(modules[1], "tile"), &config, args, 1), CUBINET_OK);
    assert_int_equal(simdriver_dynamic_shared("tile", 1), 60000);
    assert_true(simdriver_dynamic_shared("tile", 0) < 60000);
    unload(modules[0]);
    unload(modules[1]);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void loads_for_the_devices_that_are_listed(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0,7.5,8.0,9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_75 sm_90", 0);
    const CUdevice devices[] = {3, 1}; /* 8.0 has no image, and is not asked for */
    cubinet_module *modules[2];
    assert_int_equal(cubinet_module_load_devices(driver, archive, DEMO, devices, 2, NULL, modules),
                     CUBINET_OK);
    expect_launched(modules[0], 3);
    expect_launched(modules[1], 1);
    unload(modules[0]);
    unload(modules[1]);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void unloads_in_any_order(void **state)
{
    (void)state;
    static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    cubinet_driver *driver = machine_start("9.0,9.0,9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_90", 0);
    for (size_t i = 0; i < COUNT(orders); i++) {
        const int *order = orders[i];
        cubinet_module *modules[MOST];
        load_all(driver, archive, modules);
        unload(modules[order[0]]);
        expect_launched(modules[order[1]], order[1]);
        unload(modules[order[1]]);
        assert_int_equal(simdriver_live_libraries(), 1);
        expect_launched(modules[order[2]], order[2]);
        unload(modules[order[2]]);
        machine_expect_clean(NULL);
    }
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void lives_in_the_context_that_is_current(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0,9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_90", 0);
    cubinet_module *modules[MOST];
    CUcontext popped = NULL;
    CUcontext own = simdriver_create_context(1);
    assert_int_equal(cuCtxPushCurrent_v2(own), 0);
    load_all(driver, archive, modules);
    machine_expect_current(own);
    assert_ptr_equal(cubinet_module_get_context(modules[1]), own);
    assert_int_equal(simdriver_retained_contexts(), 1);
    unload(modules[1]);
    unload(modules[0]);
    assert_int_equal(cuCtxPopCurrent_v2(&popped), 0);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void a_device_without_an_image_fails_all(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0,9.0,7.5", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_80 sm_90", 0);
    cubinet_module *modules[3] = {NULL, NULL, NULL};
    assert_int_equal(cubinet_module_load_devices(driver, archive, DEMO, NULL, 3, NULL, modules),
                     CUBINET_ERROR_NO_IMAGE);
    expect_in(cubinet_error_message(), "no image of module 'demo' runs on device 2 (Simulated GPU 7.5");
    assert_true(!modules[0] && !modules[1] && !modules[2]);
    machine_expect_clean(NULL);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

/* All calls that a load for four devices makes, each failing in turn. */
static void any_call_that_fails_leaves_nothing(void **state)
{
    (void)state;
    cubinet_archive *archive = machine_archive("sm_80 sm_90", 0);
    cubinet_driver *driver = machine_start("9.0,8.0,9.0,9.0", NULL, NULL);
    cubinet_module *modules[4] = {NULL, NULL, NULL, NULL};
    unsigned int call = 0;
    cubinet_status status;
    do {
        simdriver_fail(NULL, ++call, CBN_CU_OUT_OF_MEMORY, false);
        status = cubinet_module_load_devices(driver, archive, DEMO, NULL, 4, NULL, modules);
        simdriver_fail_none();
        if (status) {
            assert_int_equal(status, CUBINET_ERROR_DEVICE_MEMORY);
            assert_true(!modules[0] && !modules[1] && !modules[2] && !modules[3]);
            machine_expect_clean(NULL);
        }
    } while (status);
    assert_true(call > 30);
    for (int device = 0; device < 4; device++) {
        unload(modules[device]);
    }
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void a_failure_names_its_device(void **state)
{
    (void)state;
    static const char *const functions[] = {"cuDevicePrimaryCtxRetain", "cuCtxPushCurrent",
                                            "cuKernelGetFunction"};
    cubinet_driver *driver = machine_start("9.0,9.0,9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_90", 0);
    for (size_t i = 0; i < COUNT(functions); i++) {
        cubinet_module *modules[3];
        simdriver_fail(functions[i], 2, CBN_CU_OUT_OF_MEMORY, false);
        assert_int_equal(cubinet_module_load_devices(driver, archive, DEMO, NULL, 3, NULL, modules),
                         CUBINET_ERROR_DEVICE_MEMORY);
        simdriver_fail_none();
        expect_in(cubinet_error_message(), functions[i]);
        expect_in(cubinet_error_message(), "device 1 (Simulated GPU 9.0)");
        assert_int_equal(cubinet_error_driver_result(), CBN_CU_OUT_OF_MEMORY);
    }
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void keep_line(void *user, cubinet_log_level level, const char *line)
{
    char *text = user;
    size_t used = strlen(text);
    snprintf(text + used, 2048 - used, "%d %s\n", (int)level, line);
}

static void a_device_that_refuses_the_shared_code_chooses_for_itself(void **state)
{
    (void)state;
    char log[2048] = "";
    char name[CUBINET_TARGET_NAME_SIZE];
    cubinet_driver *driver = machine_start("9.0,9.0,9.0", keep_line, log);
    cubinet_archive *archive = machine_archive("sm_90 sm_90a", 0);
    cubinet_module *modules[MOST];
    /* The second device refuses what the first has, and then again when it is offered it on its own. */
    simdriver_fail("cuKernelGetFunction", 2, CBN_CU_NO_BINARY_FOR_GPU, false);
    simdriver_fail("cuKernelGetFunction", 3, CBN_CU_NO_BINARY_FOR_GPU, false);
    load_all(driver, archive, modules);
    assert_string_equal(machine_loaded(modules[0], name), "sm_90a");
    assert_string_equal(machine_loaded(modules[1], name), "sm_90");
    assert_string_equal(machine_loaded(modules[2], name), "sm_90a");
    assert_ptr_equal(cubinet_module_get_library(modules[0]), cubinet_module_get_library(modules[2]));
    assert_int_equal(simdriver_live_libraries(), 2);
    expect_in(log, "1 module 'demo': the driver refused sm_90a on device 1 (Simulated GPU 9.0): ");
    expect_in(log, "2 module 'demo': loaded sm_90 on device 1 (Simulated GPU 9.0)\n");
    expect_in(log, "2 module 'demo': loaded sm_90a on device 2 (Simulated GPU 9.0), with device 0\n");
    for (int device = 0; device < 3; device++) {
        expect_launched(modules[device], device);
        unload(modules[device]);
    }
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void follows_the_policy_on_every_device(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0,8.0,9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_80 sm_90 compute_80", 0);
    const cubinet_policy policy = {.size = sizeof(policy), .flags = CUBINET_POLICY_FORCE_PTX};
    const cubinet_load_options options = {.size = sizeof(options), .policy = &policy};
    cubinet_module *modules[3];
    char name[CUBINET_TARGET_NAME_SIZE];
    assert_int_equal(cubinet_module_load_devices(driver, archive, DEMO, NULL, 3, &options, modules),
                     CUBINET_OK);
    for (int device = 0; device < 3; device++) {
        assert_string_equal(machine_loaded(modules[device], name), "compute_80");
        unload(modules[device]);
    }
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void checks_its_arguments(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0,9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_90", 0);
    cubinet_module *modules[3] = {NULL, NULL, NULL};
    const CUdevice twice[] = {1, 0, 1};
    const CUdevice missing[] = {0, 2};
    const struct {
        cubinet_driver *driver;
        const cubinet_archive *archive;
        const char *name;
        const CUdevice *devices;
        size_t count;
        cubinet_module **modules;
        cubinet_status status;
        const char *message;
    } cases[] = {
        {NULL, archive, DEMO, NULL, 2, modules, CUBINET_ERROR_INVALID_ARGUMENT, "driver is NULL"},
        {driver, NULL, DEMO, NULL, 2, modules, CUBINET_ERROR_INVALID_ARGUMENT, "archive is NULL"},
        {driver, archive, NULL, NULL, 2, modules, CUBINET_ERROR_INVALID_ARGUMENT, "name is NULL"},
        {driver, archive, DEMO, NULL, 2, NULL, CUBINET_ERROR_INVALID_ARGUMENT, "out_modules is NULL"},
        {driver, archive, DEMO, NULL, 0, modules, CUBINET_ERROR_INVALID_ARGUMENT, "count is 0"},
        {driver, archive, DEMO, NULL, 0, NULL, CUBINET_ERROR_INVALID_ARGUMENT, "count is 0"},
        {driver, archive, DEMO, NULL, SIZE_MAX, modules, CUBINET_ERROR_INVALID_ARGUMENT, "all 2 devices"},
        {driver, archive, DEMO, twice, SIZE_MAX, modules, CUBINET_ERROR_INVALID_ARGUMENT,
         "device 1 is listed twice"},
        {driver, archive, DEMO, NULL, 3, modules, CUBINET_ERROR_INVALID_ARGUMENT, "all 2 devices"},
        {driver, archive, DEMO, twice, 3, modules, CUBINET_ERROR_INVALID_ARGUMENT,
         "device 1 is listed twice"},
        {driver, archive, DEMO, missing, 2, modules, CUBINET_ERROR_NO_DEVICE, "there is no device 2"},
        {driver, archive, "dem", NULL, 2, modules, CUBINET_ERROR_NOT_FOUND, "demo"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(cubinet_module_load_devices(cases[i].driver, cases[i].archive, cases[i].name,
                                                     cases[i].devices, cases[i].count, NULL,
                                                     cases[i].modules),
                         cases[i].status);
        expect_in(cubinet_error_message(), cases[i].message);
        assert_true(!modules[0] && !modules[1] && !modules[2]);
    }
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void *unload_in_thread(void *module)
{
    return cubinet_module_unload(module) ? module : NULL;
}

/* The last to let go of the code is any of them. */
static void threads_unload_at_the_same_time(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0,9.0,9.0,9.0,9.0,9.0,9.0,9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_90", 0);
    for (int round = 0; round < 20; round++) {
        cubinet_module *modules[MOST];
        pthread_t threads[MOST];
        load_all(driver, archive, modules);
        for (size_t i = 0; i < MOST; i++) {
            assert_int_equal(pthread_create(&threads[i], NULL, unload_in_thread, modules[i]), 0);
        }
        for (size_t i = 0; i < MOST; i++) {
            void *failed = NULL;
            assert_int_equal(pthread_join(threads[i], &failed), 0);
            assert_null(failed);
        }
        machine_expect_clean(NULL);
    }
    cubinet_archive_close(archive);
    machine_stop(driver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_of_one_capability_share_the_code),
        cmocka_unit_test(what_belongs_to_a_device_stays_its_own),
        cmocka_unit_test(loads_for_the_devices_that_are_listed),
        cmocka_unit_test(unloads_in_any_order),
        cmocka_unit_test(lives_in_the_context_that_is_current),
        cmocka_unit_test(a_device_without_an_image_fails_all),
        cmocka_unit_test(any_call_that_fails_leaves_nothing),
        cmocka_unit_test(a_failure_names_its_device),
        cmocka_unit_test(a_device_that_refuses_the_shared_code_chooses_for_itself),
        cmocka_unit_test(follows_the_policy_on_every_device),
        cmocka_unit_test(checks_its_arguments),
        cmocka_unit_test(threads_unload_at_the_same_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
