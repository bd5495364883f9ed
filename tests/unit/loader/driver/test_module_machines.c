/* SPDX-License-Identifier: Apache-2.0 */
/* Machines that people have: what they load, what they say when nothing runs, that the environment is heard,
 * and that selection and the simulated driver, whose rules were written apart, always agree. */
#include "machine.h"
#include "simcuda.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect_in(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        print_error("'%s' is not in: %s\n", part, text);
        fail();
    }
}

static void expect_loaded(cubinet_driver *driver, const cubinet_archive *archive, int device,
                          const char *target)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    cubinet_module *module = machine_load(driver, archive, device);
    assert_string_equal(machine_loaded(module, name), target);
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
}

static void expect_no_image(cubinet_driver *driver, const cubinet_archive *archive, int device,
                            const char *reason)
{
    cubinet_module *module = NULL;
    assert_int_equal(cubinet_module_load(driver, archive, DEMO, device, NULL, &module),
                     CUBINET_ERROR_NO_IMAGE);
    expect_in(cubinet_error_message(), reason);
    assert_null(module);
}

static void a_jetson_beside_a_desktop_card(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("8.7t,8.9", NULL, NULL);
    cubinet_archive *both = machine_archive("sm_80 sm_87", 0);
    expect_loaded(driver, both, 0, "sm_87");
    expect_loaded(driver, both, 1, "sm_80");
    cubinet_archive *desktop = machine_archive("sm_80", 0);
    expect_no_image(driver, desktop, 0, "\n  sm_80 ");
    expect_loaded(driver, desktop, 1, "sm_80");
    cubinet_archive *jetson = machine_archive("sm_87", 0);
    expect_loaded(driver, jetson, 0, "sm_87");
    expect_no_image(driver, jetson, 1, "\n  sm_87 ");
    cubinet_archive *ptx = machine_archive("sm_87 compute_80", 0);
    expect_loaded(driver, ptx, 0, "sm_87");
    expect_loaded(driver, ptx, 1, "compute_80");
    cubinet_archive_close(both);
    cubinet_archive_close(desktop);
    cubinet_archive_close(jetson);
    cubinet_archive_close(ptx);
    machine_stop(driver);
}

static void an_old_driver_with_new_ptx(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start_release("9.0", 12020);
    cubinet_archive *too_new = machine_archive("compute_80@8.4", 0);
    expect_no_image(driver, too_new, 0, "PTX ISA 8.4 needs a driver for CUDA 12.4; this one is for 12.2");
    assert_int_equal(simdriver_calls("cuLibraryLoadData"), 0);
    cubinet_archive *either = machine_archive("compute_75@8.2 compute_80@8.4", 0);
    expect_loaded(driver, either, 0, "compute_75");
    machine_stop(driver);
    driver = machine_start_release("9.0", 12040);
    expect_loaded(driver, either, 0, "compute_80");
    cubinet_archive_close(too_new);
    cubinet_archive_close(either);
    machine_stop(driver);
}

static void a_driver_of_the_cuda_before_the_toolkits(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start_release("9.0", 12090);
    cubinet_archive *archive = machine_archive("sm_90 compute_80", 0); /* the fixtures are of CUDA 13.0 */
    expect_loaded(driver, archive, 0, "compute_80");
    cubinet_archive *cubin = machine_archive("sm_90", 0);
    expect_no_image(driver, cubin, 0,
                    "sm_90 was made by CUDA 13.0 and needs a driver for CUDA 13.0 or later; this one is for "
                    "12.9");
    cubinet_archive_close(archive);
    cubinet_archive_close(cubin);
    machine_stop(driver);
}

static void the_environment_is_heard(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0,8.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_80 sm_90 compute_80", 0);
    setenv("CUBINET_FORCE_PTX", "1", 1);
    expect_loaded(driver, archive, 0, "compute_80");
    unsetenv("CUBINET_FORCE_PTX");
    setenv("CUBINET_ONLY", "sm_80", 1);
    expect_no_image(driver, archive, 0, "sm_90: only 'sm_80' is allowed");
    expect_loaded(driver, archive, 1, "sm_80");
    unsetenv("CUBINET_ONLY");
    cubinet_archive *ptx = machine_archive("compute_80", 0);
    setenv("CUBINET_FORBID_JIT", "1", 1);
    expect_no_image(driver, ptx, 0, "compute_80 must be compiled on this machine, which the policy forbids");
    unsetenv("CUBINET_FORBID_JIT");
    expect_loaded(driver, ptx, 0, "compute_80");
    cubinet_archive_close(archive);
    cubinet_archive_close(ptx);
    machine_stop(driver);
}

static void a_bad_variable_is_named(void **state)
{
    (void)state;
    static const char *const variables[] = {"CUBINET_FORBID_JIT", "CUBINET_FORCE_PTX", "CUBINET_PREFER_LTOIR",
                                            "CUBINET_ONLY"};
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_90", 0);
    for (size_t i = 0; i < COUNT(variables); i++) {
        cubinet_module *module = NULL;
        setenv(variables[i], "maybe", 1);
        assert_int_equal(cubinet_module_load(driver, archive, DEMO, 0, NULL, &module),
                         CUBINET_ERROR_INVALID_ARGUMENT);
        expect_in(cubinet_error_message(), variables[i]);
        expect_in(cubinet_error_message(), "'maybe'");
        assert_int_equal(cubinet_module_load_devices(driver, archive, DEMO, NULL, 1, NULL, &module),
                         CUBINET_ERROR_INVALID_ARGUMENT);
        expect_in(cubinet_error_message(), variables[i]);
        unsetenv(variables[i]);
        assert_null(module);
    }
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void tile_ir_where_the_driver_has_a_compiler_for_it(void **state)
{
    (void)state;
    cubinet_archive *archive = machine_archive("sm_90 tile_131 tile_133 optix_75", 0);
    cubinet_driver *driver = machine_start_release("10.0,8.0,7.5", 13020);
    expect_loaded(driver, archive, 0, "tile_131");
    expect_loaded(driver, archive, 1, "tile_131");
    expect_no_image(driver, archive, 2,
                    "\n  tile_131 is Tile IR, which no driver compiles for compute capability 7.5");
    expect_no_image(driver, archive, 2,
                    "\n  optix_75 is OptiX-IR, which optixModuleCreate() takes and the driver");
    cubinet_module *module = machine_load(driver, archive, 0);
    const cubinet_launch_config config = {.size = sizeof(config), .grid = {7}, .block = {1}};
    assert_int_equal(cubinet_kernel_launch(machine_kernel(module, "scale<float>"), &config, NULL, 0),
                     CUBINET_OK);
    assert_int_equal(simdriver_last_launch().grid[0], 7);
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    machine_stop(driver);
    driver = machine_start_release("10.0,9.0", 13030);
    expect_loaded(driver, archive, 0, "tile_133");
    expect_loaded(driver, archive, 1, "sm_90");
    machine_stop(driver);
    driver = machine_start_release("10.0", 13000);
    expect_no_image(driver, archive, 0,
                    "Tile IR 13.1, which needs a driver for CUDA 13.1; this one is for 13.0");
    assert_int_equal(simdriver_calls("cuLibraryLoadData"), 0);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void optix_ir_for_whom_asks(void **state)
{
    (void)state;
    cubinet_archive *archive = machine_archive("sm_80 compute_75 optix_75 optix_80 optix_90", 0);
    cubinet_driver *driver = machine_start("8.9", NULL, NULL);
    cubinet_policy policy = {.size = sizeof(policy), .kind = CUBINET_IMAGE_OPTIXIR};
    const cubinet_load_options options = {.size = sizeof(options), .policy = &policy};
    cubinet_device_profile profile = {.size = sizeof(profile)};
    cubinet_module *module = NULL;
    uint32_t image = 42;
    expect_loaded(driver, archive, 0, "sm_80");
    assert_int_equal(cubinet_module_load(driver, archive, DEMO, 0, &options, &module),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    expect_in(cubinet_error_message(), "choose an image with cubinet_archive_select_image()");
    assert_int_equal(cubinet_driver_get_profile(driver, 0, &profile), CUBINET_OK);
    assert_int_equal(cubinet_archive_select_image(archive, 0, &profile, &policy, &image), CUBINET_OK);
    assert_int_equal(image, 3); /* optix_80 */
    assert_int_equal(cubinet_archive_select_image(archive, 0, &profile, NULL, &image), CUBINET_OK);
    assert_int_equal(image, 0);
    profile.compute_major = 7;
    profile.compute_minor = 0;
    assert_int_equal(cubinet_archive_select_image(archive, 0, &profile, &policy, &image),
                     CUBINET_ERROR_NO_IMAGE);
    expect_in(cubinet_error_message(), "no image of module 'demo' in ");
    expect_in(cubinet_error_message(), " is for compute capability 7.0 and of the requested kind:\n");
    expect_in(cubinet_error_message(),
              "\n  optix_75 needs compute capability 7.5 or later; this device is 7.0");
    expect_in(cubinet_error_message(), "compute_75 is not of the requested kind");
    assert_int_equal(cubinet_archive_select_image(archive, 1, &profile, &policy, &image),
                     CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(cubinet_archive_select_image(archive, 0, NULL, &policy, &image),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    policy.kind = (cubinet_image_kind)77;
    assert_int_equal(cubinet_archive_select_image(archive, 0, &profile, &policy, &image),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(image, 0); /* untouched */
    cubinet_archive_close(archive);
    machine_stop(driver);
}

/* Whether the driver runs an image of the archive on a device, whatever selection says of it. */
static bool driver_runs(const cubinet_archive *archive, uint32_t image, CUcontext context)
{
    cubinet_image_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_archive_get_image(archive, 0, image, &info), CUBINET_OK);
    char *data = calloc(1, (size_t)info.raw_size + 1);
    assert_non_null(data);
    assert_int_equal(cubinet_archive_read_image(archive, 0, image, data, (size_t)info.raw_size), CUBINET_OK);
    CUlibrary library = NULL;
    CUkernel kernel = NULL;
    CUfunction function = NULL;
    CUcontext popped = NULL;
    assert_int_equal(cuCtxPushCurrent_v2(context), 0);
    assert_int_equal(cuLibraryLoadData(&library, data, NULL, NULL, 0, NULL, NULL, 0), 0);
    bool runs = !cuLibraryGetKernel(&kernel, library, "scale") && !cuKernelGetFunction(&function, kernel);
    assert_int_equal(cuLibraryUnload(library), 0);
    assert_int_equal(cuCtxPopCurrent_v2(&popped), 0);
    free(data);
    return runs;
}

static size_t compare_with_driver(const cubinet_driver *driver, const cubinet_archive *archive, int device)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    cubinet_device_profile profile = {.size = sizeof(profile)};
    cubinet_module_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_driver_get_profile(driver, device, &profile), CUBINET_OK);
    assert_int_equal(cubinet_archive_get_module(archive, 0, &info), CUBINET_OK);
    CUcontext context = simdriver_create_context(device);
    for (uint32_t i = 0; i < info.image_count; i++) {
        cubinet_image_info image = {.size = sizeof(image)};
        cubinet_verdict verdict;
        assert_int_equal(cubinet_archive_get_image(archive, 0, i, &image), CUBINET_OK);
        bool selected = cubinet_images_rank(&image, 1, &profile, NULL, &verdict) == 1;
        if (selected != driver_runs(archive, i, context)) {
            print_error("%s on %d.%d, driver %u: selection says %s\n",
                        cubinet_target_name(image.target, name), profile.compute_major, profile.compute_minor,
                        profile.driver_version, selected ? "yes" : "no");
            fail();
        }
    }
    simdriver_destroy_context(context);
    return info.image_count;
}

static void selection_agrees_with_the_driver(void **state)
{
    (void)state;
    static const char *const machines[] = {
        "5.2,6.1,7.0,7.5,8.0,8.6,8.9,9.0,10.0,10.3,10.7,12.0,12.1",
        "5.3t,6.2t,7.2t,8.7t,10.1t,11.0t,8.8",
    };
    static const int drivers[] = {12000, 12040, 12080, 12090, 13000, 13010, 13020, 13030, 13040};
    cubinet_archive *archive = machine_archive(
        "sm_75 sm_80 sm_87 sm_90 sm_90a sm_120 compute_50 compute_75 compute_80@8.4 compute_87 "
        "compute_88@9.0 "
        "compute_89 compute_90a compute_90 compute_100 compute_100a@8.7 compute_100f@8.8 compute_103f@9.1 "
        "compute_107f@9.4 compute_110 compute_110f@9.0 compute_120f@8.8 compute_121a@8.8 compute_121f@9.0 "
        "tile_131 tile_132 tile_133 tile_134",
        0);
    size_t compared = 0;
    for (size_t i = 0; i < COUNT(machines) * COUNT(drivers); i++) {
        cubinet_driver *driver =
            machine_start_release(machines[i / COUNT(drivers)], drivers[i % COUNT(drivers)]);
        for (int device = 0; device < cubinet_driver_get_device_count(driver); device++) {
            compared += compare_with_driver(driver, archive, device);
        }
        machine_stop(driver);
    }
    assert_int_equal(compared, 28 * 20 * COUNT(drivers));
    cubinet_archive_close(archive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_jetson_beside_a_desktop_card),
        cmocka_unit_test(an_old_driver_with_new_ptx),
        cmocka_unit_test(a_driver_of_the_cuda_before_the_toolkits),
        cmocka_unit_test(the_environment_is_heard),
        cmocka_unit_test(a_bad_variable_is_named),
        cmocka_unit_test(tile_ir_where_the_driver_has_a_compiler_for_it),
        cmocka_unit_test(optix_ir_for_whom_asks),
        cmocka_unit_test(selection_agrees_with_the_driver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
