/* SPDX-License-Identifier: Apache-2.0 */
/* Every driver call and every allocation fails in turn, while a program opens the driver, loads, looks up,
 * launches and unloads: each time a status, nothing that leaks, and the thread's context as it was. */
#include "allocations.h"
#include "machine.h"
#include "simcuda.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PARTS "sm_90=scale_90+tile_90+clustered_90"

/* Of the archive that a program opens in memory. */
static unsigned char archive_bytes[64 << 10];
static size_t archive_size;

/* The driver's calls up to the one that leaves the module's context after the launch. That one's failure does
 * not undo the launch. */
static unsigned int left_with;

static cubinet_status use_module(cubinet_module *module)
{
    cubinet_kernel *kernel = NULL;
    CUfunction function = NULL;
    CUdeviceptr table = 0;
    const cubinet_arg args[] = {CUBINET_ARG(table)};
    const cubinet_launch_config config = {
        .size = sizeof(config), .grid = {16}, .block = {32}, .cluster = {16}, .dynamic_shared_bytes = 100000};
    cubinet_status status = cubinet_module_find_global(module, "table", &table, NULL);
    if (!status) {
        status = cubinet_module_find_kernel(module, "tile", &kernel);
    }
    if (!status) {
        status = cubinet_kernel_launch(kernel, &config, args, COUNT(args));
        left_with = simdriver_calls(NULL);
    }
    if (!status) {
        status = cubinet_kernel_get_function(kernel, &function);
    }
    return status;
}

/* All that a program does. */
static cubinet_status live(const cubinet_archive *archive)
{
    const cubinet_driver_options options = {.size = sizeof(options), .library = SIMCUDA_PATH};
    cubinet_driver *driver = NULL;
    cubinet_module *module = NULL;
    cubinet_status status = cubinet_driver_open(&options, &driver);
    if (!status) {
        status = cubinet_module_load(driver, archive, DEMO, 0, NULL, &module);
    }
    if (!status) {
        status = use_module(module);
    }
    cubinet_status unloaded = cubinet_module_unload(module);
    cubinet_driver_close(driver);
    return status ? status : unloaded;
}

/* The same with a module in parts, whose archive lies in memory and is closed before anything is used. */
static cubinet_status live_without_archive(const cubinet_archive *archive)
{
    (void)archive;
    const cubinet_driver_options options = {.size = sizeof(options), .library = SIMCUDA_PATH};
    cubinet_driver *driver = NULL;
    cubinet_archive *opened = NULL;
    cubinet_module *module = NULL;
    cubinet_status status = cubinet_driver_open(&options, &driver);
    if (!status) {
        status = cubinet_archive_open_memory(archive_bytes, archive_size, NULL, &opened);
    }
    if (!status) {
        status = cubinet_module_load(driver, opened, DEMO, 0, NULL, &module);
    }
    cubinet_archive_close(opened);
    if (!status) {
        status = use_module(module);
    }
    cubinet_status unloaded = cubinet_module_unload(module);
    cubinet_driver_close(driver);
    return status ? status : unloaded;
}

/* The same for two devices that share their code. */
static cubinet_status live_on_two(const cubinet_archive *archive)
{
    const cubinet_driver_options options = {.size = sizeof(options), .library = SIMCUDA_PATH};
    cubinet_driver *driver = NULL;
    cubinet_module *modules[2] = {NULL, NULL};
    cubinet_status status = cubinet_driver_open(&options, &driver);
    if (!status) {
        status = cubinet_module_load_devices(driver, archive, DEMO, NULL, 2, NULL, modules);
    }
    for (size_t i = 0; !status && i < 2; i++) {
        status = use_module(modules[i]);
    }
    cubinet_module_unload(modules[0]);
    cubinet_module_unload(modules[1]);
    cubinet_driver_close(driver);
    return status;
}

static bool is_of_the_driver(cubinet_status status)
{
    switch (status) {
    case CUBINET_ERROR_NO_DEVICE:
    case CUBINET_ERROR_DRIVER:
    case CUBINET_ERROR_DEVICE_MEMORY:
    case CUBINET_ERROR_CONTEXT_DEAD:
    case CUBINET_ERROR_NO_IMAGE:
        return true;
    default:
        return false;
    }
}

/* The program's life, again and again with the next call failing, until none fails. */
static unsigned int fail_each_call(const cubinet_archive *archive, unsigned int result, CUcontext current,
                                   bool may_succeed)
{
    for (unsigned int call = 1;; call++) {
        simdriver_fail_none();
        simdriver_fail(NULL, call, result, false);
        unsigned int before = simdriver_calls(NULL);
        cubinet_status status = live(archive);
        unsigned int calls = simdriver_calls(NULL) - before;
        simdriver_fail_none();
        machine_expect_clean(current);
        if (calls < call) {
            assert_int_equal(status, CUBINET_OK);
            return calls;
        }
        if (status) {
            assert_true(is_of_the_driver(status));
            assert_int_equal(cubinet_error_driver_result(), result);
            assert_non_null(strstr(cubinet_error_message(), "("));
        } else {
            assert_true(may_succeed || before + call == left_with);
        }
    }
}

static void test_every_driver_call_fails_in_turn(void **state)
{
    (void)state;
    static const unsigned int results[] = {CBN_CU_OUT_OF_MEMORY, CBN_CU_ILLEGAL_ADDRESS,
                                           CBN_CU_DEINITIALIZED};
    cubinet_archive *archive = machine_archive("sm_90 compute_80", 0);
    for (size_t i = 0; i < COUNT(results); i++) {
        simdriver_reset();
        assert_true(fail_each_call(archive, results[i], NULL, false) > 30);
    }
    cubinet_archive_close(archive);
    archive = machine_archive(PARTS " compute_80", 0);
    for (size_t i = 0; i < COUNT(results); i++) {
        simdriver_reset();
        assert_true(fail_each_call(archive, results[i], NULL, false) > 30);
    }
    simdriver_reset();
    assert_true(fail_each_call(archive, CBN_CU_NO_BINARY_FOR_GPU, NULL, true) > 30);
    cubinet_archive_close(archive);
    archive = machine_archive("sm_90 compute_80", 0);
    /* A refusal of the first image is made good by the second. */
    simdriver_reset();
    assert_true(fail_each_call(archive, CBN_CU_NO_BINARY_FOR_GPU, NULL, true) > 30);
    cubinet_archive_close(archive);
}

static void test_every_driver_call_fails_in_turn_in_another_context(void **state)
{
    (void)state;
    cubinet_archive *archive = machine_archive("sm_90", 0);
    simdriver_reset();
    assert_true(simdriver_set_devices("9.0,9.0"));
    CUcontext other = simdriver_create_context(1);
    CUcontext popped = NULL;
    assert_int_equal(cuInit(0), 0);
    assert_int_equal(cuCtxPushCurrent_v2(other), 0);
    assert_true(fail_each_call(archive, CBN_CU_UNKNOWN, other, false) > 30);
    assert_int_equal(cuCtxPopCurrent_v2(&popped), 0);
    cubinet_archive_close(archive);
}

/* The same with everything after a call failing too, as after a fault on the device. */
static void test_the_driver_stops_working_at_any_call(void **state)
{
    (void)state;
    cubinet_archive *archive = machine_archive("sm_90 compute_80", 0);
    simdriver_reset();
    unsigned int calls = simdriver_calls(NULL);
    assert_int_equal(live(archive), CUBINET_OK);
    calls = simdriver_calls(NULL) - calls;
    for (unsigned int call = 1; call <= calls; call++) {
        simdriver_reset();
        simdriver_fail(NULL, call, CBN_CU_ILLEGAL_ADDRESS, true);
        assert_int_equal(live(archive), CUBINET_ERROR_CONTEXT_DEAD);
        simdriver_fail_none();
        machine_expect_clean(NULL);
    }
    cubinet_archive_close(archive);
}

/* Some succeed: memory may be out for the words of a refusal, or for what is not needed. */
static void fail_each_allocation(cubinet_status (*program)(const cubinet_archive *archive),
                                 const char *devices, const char *images, int zstd_level)
{
    cubinet_archive *archive = machine_archive(images, zstd_level);
    simdriver_reset();
    assert_true(simdriver_set_devices(devices));
    assert_int_equal(program(archive), CUBINET_OK); /* what is made once for the thread is made now */
    for (unsigned int number = 1;; number++) {
        cubinet_target_parse(NULL, NULL); /* so that the message is another one */
        allocations_watch(number);
        cubinet_status status = program(archive);
        bool is_over = allocations_stop() < number;
        machine_expect_clean(NULL);
        if (is_over) {
            assert_int_equal(status, CUBINET_OK);
            assert_true(number > 4);
            break;
        }
        if (status) {
            assert_int_equal(status, CUBINET_ERROR_OUT_OF_MEMORY);
            assert_string_equal(cubinet_error_message(), "out of memory");
        }
    }
    cubinet_archive_close(archive);
}

static void test_every_allocation_fails_in_turn(void **state)
{
    (void)state;
    fail_each_allocation(live, "9.0", "sm_90", 0);
    fail_each_allocation(live, "9.0", "sm_90", 19);
    fail_each_allocation(live, "9.0", "compute_80", 0);
    fail_each_allocation(live_on_two, "9.0,9.0", "sm_90", 19);
    fail_each_allocation(live, "9.0", PARTS, 0);
    fail_each_allocation(live, "9.0", PARTS, 19);
    fail_each_allocation(live, "9.0", "compute_80=scale+tile", 0);
    fail_each_allocation(live, "9.0", "sm_90=scale_80+tile_80 compute_90=scale+tile+clustered", 0);
    fail_each_allocation(live_on_two, "9.0,9.0", PARTS, 19);
}

/* Nothing that the close could not keep is missed without a message. */
static void test_every_allocation_fails_in_turn_without_the_archive(void **state)
{
    (void)state;
    static const char *const images[] = {PARTS, "sm_90=scale_80+tile_80 compute_90=scale+tile+clustered"};
    for (size_t i = 0; i < COUNT(images); i++) {
        char path[] = "/tmp/cubinet-test-XXXXXX";
        close(mkstemp(path));
        machine_archive_file(images[i], "1.0", path);
        FILE *file = fopen(path, "rb");
        unlink(path);
        assert_non_null(file);
        archive_size = fread(archive_bytes, 1, sizeof(archive_bytes), file);
        assert_true(archive_size > 0 && feof(file));
        fclose(file);
        fail_each_allocation(live_without_archive, "9.0", images[i], 0);
    }
}

static cubinet_status open_missing_driver(void *data)
{
    const cubinet_driver_options options = {.size = sizeof(options), .library = data};
    cubinet_driver *driver = NULL;
    return cubinet_driver_open(&options, &driver);
}

static cubinet_status load_what_does_not_run(void *archive)
{
    return live(archive);
}

/* Whoever asks why gets the whole answer, or hears that memory is out. */
static void test_every_allocation_for_a_message_fails_in_turn(void **state)
{
    (void)state;
    char missing[] = "/missing/libcuda.so";
    assert_true(allocations_fail_each(open_missing_driver, missing, CUBINET_ERROR_NO_DRIVER) > 2);
    cubinet_archive *archive = machine_archive("sm_90 compute_100", 0);
    simdriver_reset();
    assert_true(simdriver_set_devices("8.0"));
    assert_true(allocations_fail_each(load_what_does_not_run, archive, CUBINET_ERROR_NO_IMAGE) > 4);
    machine_expect_clean(NULL);
    cubinet_archive_close(archive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_driver_call_fails_in_turn),
        cmocka_unit_test(test_every_driver_call_fails_in_turn_in_another_context),
        cmocka_unit_test(test_the_driver_stops_working_at_any_call),
        cmocka_unit_test(test_every_allocation_fails_in_turn),
        cmocka_unit_test(test_every_allocation_fails_in_turn_without_the_archive),
        cmocka_unit_test(test_every_allocation_for_a_message_fails_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
