/* SPDX-License-Identifier: Apache-2.0 */
/* Opening the driver, and what it says of devices. */
#include "machine.h"
#include "simcuda.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cubinet_status open_library(const char *path)
{
    const cubinet_driver_options options = {.size = sizeof(options), .library = path};
    cubinet_driver *driver = NULL;
    cubinet_status status = cubinet_driver_open(&options, &driver);
    if (status) {
        assert_null(driver);
    } else {
        cubinet_driver_close(driver);
    }
    return status;
}

static void expect_message(const char *part)
{
    if (!strstr(cubinet_error_message(), part)) {
        print_error("'%s' is not in the message: %s\n", part, cubinet_error_message());
        fail();
    }
}

static void test_opens_and_describes_devices(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0,8.7t,12.1t", NULL, NULL);
    assert_int_equal(cubinet_driver_get_version(driver), 13000);
    assert_int_equal(cubinet_driver_get_device_count(driver), 3);
    cubinet_device_profile profile = {.size = sizeof(profile), .nvjitlink_version = 99};
    assert_int_equal(cubinet_driver_get_profile(driver, 1, &profile), CUBINET_OK);
    assert_int_equal(profile.size, sizeof(profile));
    assert_int_equal(profile.compute_major, 8);
    assert_int_equal(profile.compute_minor, 7);
    assert_int_equal(profile.flags, CUBINET_DEVICE_TEGRA);
    assert_int_equal(profile.driver_version, 13000);
    assert_int_equal(profile.nvjitlink_version, 0);
    /* An integrated part that runs the cubins of its desktop family. */
    assert_int_equal(cubinet_driver_get_profile(driver, 2, &profile), CUBINET_OK);
    assert_int_equal(profile.flags, 0);
    machine_stop(driver);
}

static void test_writes_no_more_than_the_callers_struct(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_device_profile profile = {.size = offsetof(cubinet_device_profile, flags), .flags = 42};
    assert_int_equal(cubinet_driver_get_profile(driver, 0, &profile), CUBINET_OK);
    assert_int_equal(profile.compute_major, 9);
    assert_int_equal(profile.flags, 42);
    profile.size = 0;
    assert_int_equal(cubinet_driver_get_profile(driver, 0, &profile), CUBINET_ERROR_INVALID_ARGUMENT);
    machine_stop(driver);
}

static void test_refuses_devices_that_are_not_there(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0,8.0", NULL, NULL);
    cubinet_device_profile profile = {.size = sizeof(profile)};
    assert_int_equal(cubinet_driver_get_profile(driver, 2, &profile), CUBINET_ERROR_NO_DEVICE);
    expect_message("no device 2: this machine has 2");
    assert_int_equal(cubinet_driver_get_profile(driver, -1, &profile), CUBINET_ERROR_NO_DEVICE);
    machine_stop(driver);
}

static void test_lists_what_was_tried_without_a_driver(void **state)
{
    (void)state;
    assert_int_equal(open_library("/nowhere/libcuda.so.1"), CUBINET_ERROR_NO_DRIVER);
    expect_message("/nowhere/libcuda.so.1: ");
    assert_int_equal(setenv("CUBINET_LIBCUDA", "/elsewhere/libcuda.so", 1), 0);
    assert_int_equal(open_library(NULL), CUBINET_ERROR_NO_DRIVER);
    expect_message("CUBINET_LIBCUDA");
    expect_message("/elsewhere/libcuda.so: ");
    unsetenv("CUBINET_LIBCUDA");
}

static void test_takes_the_library_from_the_environment(void **state)
{
    (void)state;
    simdriver_reset();
    assert_int_equal(setenv("CUBINET_LIBCUDA", SIMCUDA_PATH, 1), 0);
    assert_int_equal(open_library(NULL), CUBINET_OK);
    unsetenv("CUBINET_LIBCUDA");
}

static void test_opening_leaves_the_last_error_alone(void **state)
{
    (void)state;
    simdriver_reset();
    assert_int_equal(open_library("/nowhere/libcuda.so.1"), CUBINET_ERROR_NO_DRIVER);
    assert_int_equal(open_library(SIMCUDA_PATH), CUBINET_OK);
    expect_message("/nowhere/libcuda.so.1: ");
}

static void test_refuses_a_library_that_is_no_driver(void **state)
{
    (void)state;
    assert_int_equal(open_library("libm.so.6"), CUBINET_ERROR_NO_DRIVER);
    expect_message("is not a CUDA driver");
}

static void test_names_both_versions_of_an_old_driver(void **state)
{
    (void)state;
    assert_int_equal(open_library(SIMCUDA_11_8_PATH), CUBINET_ERROR_DRIVER_TOO_OLD);
    expect_message("is for CUDA 11.8; CUDA 12.0 is the oldest");
    /* The version counts also where the functions are there. */
    simdriver_reset();
    simdriver_set_version(11040);
    assert_int_equal(open_library(SIMCUDA_PATH), CUBINET_ERROR_DRIVER_TOO_OLD);
    expect_message("is for CUDA 11.4");
}

static void test_recognises_a_stub(void **state)
{
    (void)state;
    assert_int_equal(open_library(SIMCUDA_STUB_PATH), CUBINET_ERROR_NO_DRIVER);
    expect_message("CUDA_ERROR_STUB_LIBRARY (34)");
    expect_message("toolkit's stub");
    assert_int_equal(cubinet_error_driver_result(), 34);
}

static void test_works_without_optional_functions(void **state)
{
    (void)state;
    assert_int_equal(open_library(SIMCUDA_12_0_PATH), CUBINET_OK);
}

static void test_says_that_there_is_no_gpu(void **state)
{
    (void)state;
    simdriver_reset();
    assert_true(simdriver_set_devices(""));
    assert_int_equal(open_library(SIMCUDA_PATH), CUBINET_ERROR_NO_DEVICE);
    expect_message("CUDA_ERROR_NO_DEVICE (100)");
    assert_int_equal(cubinet_error_driver_result(), 100);
}

static void test_keeps_the_number_of_a_result_without_a_name(void **state)
{
    (void)state;
    simdriver_reset();
    simdriver_fail("cuInit", 1, 12345, false);
    assert_int_equal(open_library(SIMCUDA_PATH), CUBINET_ERROR_DRIVER);
    expect_message("(12345)");
    assert_int_equal(cubinet_error_driver_result(), 12345);
}

static void test_maps_results_to_statuses(void **state)
{
    (void)state;
    static const struct {
        unsigned int result;
        cubinet_status status;
    } expected[] = {
        {CBN_CU_INVALID_VALUE, CUBINET_ERROR_DRIVER},
        {CBN_CU_OUT_OF_MEMORY, CUBINET_ERROR_DEVICE_MEMORY},
        {CBN_CU_INVALID_DEVICE, CUBINET_ERROR_NO_DEVICE},
        {CBN_CU_ECC_UNCORRECTABLE, CUBINET_ERROR_CONTEXT_DEAD},
        {CBN_CU_ILLEGAL_ADDRESS, CUBINET_ERROR_CONTEXT_DEAD},
        {CBN_CU_LAUNCH_TIMEOUT, CUBINET_ERROR_CONTEXT_DEAD},
        {CBN_CU_ASSERT, CUBINET_ERROR_CONTEXT_DEAD},
        {CBN_CU_MISALIGNED_ADDRESS, CUBINET_ERROR_CONTEXT_DEAD},
        {CBN_CU_INVALID_ADDRESS_SPACE, CUBINET_ERROR_CONTEXT_DEAD},
        {CBN_CU_INVALID_PC, CUBINET_ERROR_CONTEXT_DEAD},
        {CBN_CU_LAUNCH_FAILED, CUBINET_ERROR_CONTEXT_DEAD},
        {CBN_CU_LAUNCH_OUT_OF_RESOURCES, CUBINET_ERROR_LIMIT},
        {CBN_CU_COOPERATIVE_LAUNCH_TOO_LARGE, CUBINET_ERROR_LIMIT},
        {CBN_CU_UNKNOWN, CUBINET_ERROR_DRIVER},
    };
    for (size_t i = 0; i < COUNT(expected); i++) {
        simdriver_reset();
        simdriver_fail("cuInit", 1, expected[i].result, false);
        assert_int_equal(open_library(SIMCUDA_PATH), expected[i].status);
        assert_int_equal(cubinet_error_driver_result(), expected[i].result);
    }
}

static void test_checks_its_options(void **state)
{
    (void)state;
    struct {
        cubinet_driver_options known;
        int newer;
    } options = {.known = {.size = sizeof(options), .library = SIMCUDA_PATH}};
    cubinet_driver *driver = NULL;
    simdriver_reset();
    assert_int_equal(cubinet_driver_open(&options.known, &driver), CUBINET_OK);
    cubinet_driver_close(driver);
    driver = NULL;
    options.newer = 1;
    assert_int_equal(cubinet_driver_open(&options.known, &driver), CUBINET_ERROR_INVALID_ARGUMENT);
    options.known.size = 0;
    assert_int_equal(cubinet_driver_open(&options.known, &driver), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_null(driver);
    assert_int_equal(cubinet_driver_open(NULL, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
    cubinet_driver_close(NULL);
}

static void test_hands_out_functions(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    void *function = NULL;
    void *expected = NULL;
    cbn_cu_result (*const retain)(CUcontext *, CUdevice) = cuDevicePrimaryCtxRetain;
    memcpy(&expected, &retain, sizeof(expected));
    assert_int_equal(cubinet_driver_get_proc_address(driver, "cuDevicePrimaryCtxRetain", &function),
                     CUBINET_OK);
    assert_ptr_equal(function, expected);
    /* One that is younger than 12.0. */
    assert_int_equal(cubinet_driver_get_proc_address(driver, "cuLibraryGetKernelCount", &function),
                     CUBINET_OK);
    void *before = function;
    assert_int_equal(cubinet_driver_get_proc_address(driver, "cuNoSuchFunction", &function),
                     CUBINET_ERROR_NOT_FOUND);
    expect_message("cuNoSuchFunction");
    assert_ptr_equal(function, before);
    machine_stop(driver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_opens_and_describes_devices),
        cmocka_unit_test(test_writes_no_more_than_the_callers_struct),
        cmocka_unit_test(test_refuses_devices_that_are_not_there),
        cmocka_unit_test(test_lists_what_was_tried_without_a_driver),
        cmocka_unit_test(test_takes_the_library_from_the_environment),
        cmocka_unit_test(test_opening_leaves_the_last_error_alone),
        cmocka_unit_test(test_refuses_a_library_that_is_no_driver),
        cmocka_unit_test(test_names_both_versions_of_an_old_driver),
        cmocka_unit_test(test_recognises_a_stub),
        cmocka_unit_test(test_works_without_optional_functions),
        cmocka_unit_test(test_says_that_there_is_no_gpu),
        cmocka_unit_test(test_keeps_the_number_of_a_result_without_a_name),
        cmocka_unit_test(test_maps_results_to_statuses),
        cmocka_unit_test(test_checks_its_options),
        cmocka_unit_test(test_hands_out_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
