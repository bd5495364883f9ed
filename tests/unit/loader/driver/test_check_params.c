/* SPDX-License-Identifier: Apache-2.0 */
/* Archives that record other parameters of kernels than their code has: the driver would read beyond the
 * arguments of a launch. */
#include "image/contents.h"
#include "loader/driver/driver.h"
#include "machine.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

static struct contents_kernel *scale_of(struct contents *contents)
{
    for (size_t i = 0; i < contents->kernel_count; i++) {
        if (strcmp(contents->kernels[i].name, "scale") == 0) {
            return &contents->kernels[i];
        }
    }
    fail_msg("no kernel 'scale'");
    return NULL;
}

/* The code has a pointer, a float and a number. */
static void say_one_less(struct contents *contents)
{
    scale_of(contents)->resources.param_count = 2;
}

static void say_none(struct contents *contents)
{
    scale_of(contents)->resources.param_count = 0;
}

static void say_one_more(struct contents *contents)
{
    struct contents_kernel *scale = scale_of(contents);
    cubinet_param *param = contents_add_param(scale);
    assert_non_null(param);
    *param = (cubinet_param){.offset = 16, .size = 8};
    scale->resources.param_bytes = 24;
}

static void say_a_smaller_one(struct contents *contents)
{
    scale_of(contents)->params[0].size = 4;
}

static void say_another_place(struct contents *contents)
{
    scale_of(contents)->params[2].offset = 8;
}

static void say_nothing(struct contents *contents)
{
    struct contents_kernel *scale = scale_of(contents);
    scale->resources.param_count = CUBINET_UNKNOWN;
    scale->resources.param_bytes = CUBINET_UNKNOWN;
}

static void tell_the_truth(struct contents *contents)
{
    (void)contents;
}

/* Launches "scale" with the first `count` of its arguments, the first of so many bytes, each in memory of its
 * own, whose end the sanitizers watch. */
static cubinet_status launch(cubinet_module *module, size_t count, size_t first_size)
{
    size_t sizes[] = {first_size, 4, 4, 8};
    cubinet_arg args[COUNT(sizes)] = {{0}};
    void *values[COUNT(sizes)] = {NULL};
    for (size_t i = 0; i < count; i++) {
        values[i] = calloc(1, sizes[i]);
        args[i] = (cubinet_arg){values[i], sizes[i]};
        assert_non_null(values[i]);
    }
    const cubinet_launch_config config = {.size = sizeof(config), .grid = {1}, .block = {32}};
    cubinet_status status = cubinet_kernel_launch(machine_kernel(module, "scale"), &config, args, count);
    for (size_t i = 0; i < count; i++) {
        free(values[i]);
    }
    return status;
}

static const struct {
    machine_lie_fn *lie;
    size_t count;
    size_t first_size;
} lies[] = {
    {say_one_less, 2, 8},      {say_none, 0, 8},          {say_one_more, 4, 8},
    {say_a_smaller_one, 3, 4}, {say_another_place, 3, 8},
};

static void expect_damaged(const char *kernel)
{
    assert_non_null(
        strstr(cubinet_error_message(), "is damaged: the parameters that it records of kernel '"));
    assert_non_null(strstr(cubinet_error_message(), kernel));
}

static void expect_refused(const char *image, size_t lie)
{
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = machine_lying_archive(image, lies[lie].lie, NULL);
    cubinet_module *module = machine_load(driver, archive, 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(launch(module, lies[lie].count, lies[lie].first_size), CUBINET_ERROR_DAMAGED);
        expect_damaged("scale<float>");
    }
    assert_int_equal(simdriver_calls("cuLaunchKernelEx"), 0);
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_lies_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(lies); i++) {
        expect_refused("sm_90", i);
        expect_refused("compute_80", i);
    }
}

/* Each parameter is asked for once, for the first launch alone, and none that the kernel doesn't have: tools
 * that watch the driver report its error for that as one of the program's. */
static void expect_compared_once(const char *image)
{
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive(image, 0);
    cubinet_module *module = machine_load(driver, archive, 0);
    assert_int_equal(simdriver_calls("cuKernelGetParamInfo"), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(launch(module, 3, 8), CUBINET_OK);
        assert_int_equal(simdriver_calls("cuKernelGetParamInfo"), 3);
    }
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_a_kernel_is_compared_once(void **state)
{
    (void)state;
    expect_compared_once("sm_90");
    expect_compared_once("compute_80");
}

static void test_whom_the_program_trusts_is_believed(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = machine_lying_archive("sm_90", tell_the_truth, SIGNATURE_KEYS "/plain");
    cubinet_module *module = machine_load(driver, archive, 0);
    assert_int_equal(launch(module, 3, 8), CUBINET_OK);
    assert_int_equal(simdriver_calls("cuKernelGetParamInfo"), 0);
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

/* Of a kernel without a record the driver's answer is all that arguments can be compared with. */
static void test_nothing_is_recorded(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = machine_lying_archive("sm_90", say_nothing, NULL);
    cubinet_module *module = machine_load(driver, archive, 0);
    assert_int_equal(launch(module, 3, 8), CUBINET_OK);
    assert_int_equal(launch(module, 2, 8), CUBINET_ERROR_LAUNCH_ARGUMENTS);
    assert_non_null(strstr(cubinet_error_message(), "takes more than the 2 arguments that were given"));
    assert_int_equal(launch(module, 0, 8), CUBINET_ERROR_LAUNCH_ARGUMENTS);
    assert_int_equal(launch(module, 3, 4), CUBINET_ERROR_LAUNCH_ARGUMENTS);
    assert_non_null(
        strstr(cubinet_error_message(), "argument 0 (of 3, from 0) has 4 bytes; the parameter has 8"));
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_a_driver_that_fails_to_tell(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_90", 0);
    cubinet_module *module = machine_load(driver, archive, 0);
    simdriver_fail("cuKernelGetParamInfo", 2, 700, false);
    assert_int_equal(launch(module, 3, 8), CUBINET_ERROR_CONTEXT_DEAD);
    assert_int_equal(simdriver_calls("cuLaunchKernelEx"), 0);
    assert_int_equal(launch(module, 3, 8), CUBINET_OK);
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

/* Drivers before CUDA 12.4 don't tell: cubins are compared when they are loaded, PTX is not. */
static cubinet_status load_with_old_driver(const char *image, machine_lie_fn *lie, const char *key)
{
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    driver->cu.cuKernelGetParamInfo = NULL;
    cubinet_archive *archive = machine_lying_archive(image, lie, key);
    cubinet_module *module = NULL;
    cubinet_status status = cubinet_module_load(driver, archive, DEMO, 0, NULL, &module);
    if (!status) {
        assert_int_equal(launch(module, 3, 8), CUBINET_OK);
    }
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
    return status;
}

static void test_drivers_that_do_not_tell(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(lies); i++) {
        assert_int_equal(load_with_old_driver("sm_90", lies[i].lie, NULL), CUBINET_ERROR_DAMAGED);
        expect_damaged("scale<float>");
    }
    assert_int_equal(load_with_old_driver("sm_90", say_nothing, NULL), CUBINET_ERROR_DAMAGED);
    assert_int_equal(load_with_old_driver("sm_90", tell_the_truth, NULL), CUBINET_OK);
    assert_int_equal(load_with_old_driver("sm_90", tell_the_truth, SIGNATURE_KEYS "/plain"), CUBINET_OK);
    assert_int_equal(load_with_old_driver("compute_80", tell_the_truth, NULL), CUBINET_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lies_are_refused),
        cmocka_unit_test(test_a_kernel_is_compared_once),
        cmocka_unit_test(test_whom_the_program_trusts_is_believed),
        cmocka_unit_test(test_nothing_is_recorded),
        cmocka_unit_test(test_a_driver_that_fails_to_tell),
        cmocka_unit_test(test_drivers_that_do_not_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
