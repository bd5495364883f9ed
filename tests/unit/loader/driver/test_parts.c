/* SPDX-License-Identifier: Apache-2.0 */
/* Modules whose image consists of parts: when a part is loaded, what happens when the driver refuses one, and
 * that kernels never come from different images. */
#include "machine.h"
#include "simcuda.h"
#include "unit.h"

#include <cubinet/module.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SURE    "sm_90=scale_90+tile_90+clustered_90"
#define SURE_A  "sm_90a=scale_90a+tile_90a+clustered_90a"
#define UNSURE  "sm_80=scale_80+tile_80"
#define AS_PTX  "compute_80=scale+tile"
#define SCALE   "scale<float>"
#define KERNELS 3

struct lines {
    char text[8192];
};

static void collect(void *user, cubinet_log_level level, const char *line)
{
    struct lines *lines = user;
    size_t used = strlen(lines->text);
    snprintf(lines->text + used, sizeof(lines->text) - used, "%s: %s\n",
             level == CUBINET_LOG_WARNING ? "warning" : "info", line);
}

static void expect_in(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        print_error("'%s' is not in: %s\n", part, text);
        fail();
    }
}

/* What every test starts from and ends with. */
struct setting {
    cubinet_driver *driver;
    cubinet_archive *archive;
    struct lines lines;
};

static void begin(struct setting *setting, const char *devices, const char *images)
{
    setting->lines.text[0] = '\0';
    setting->driver = machine_start(devices, collect, &setting->lines);
    setting->archive = machine_archive(images, 0);
}

static void end(struct setting *setting)
{
    cubinet_archive_close(setting->archive);
    machine_stop(setting->driver);
}

static void unload(cubinet_module *module)
{
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
}

static void expect_image(const cubinet_module *module, const char *target)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    assert_string_equal(machine_loaded(module, name), target);
}

static unsigned int loads(void)
{
    return simdriver_calls("cuLibraryLoadData");
}

static cubinet_status find_status(cubinet_module *module, const char *name)
{
    cubinet_kernel *kernel = NULL;
    return cubinet_module_find_kernel(module, name, &kernel);
}

/* Launches all kernels, "scale" with what only its own parameters take. */
static void launch_all(cubinet_module *module, bool has_clusters)
{
    CUdeviceptr address = 0;
    float by = 2;
    unsigned int count = 4;
    const cubinet_arg scale[] = {CUBINET_ARG(address), CUBINET_ARG(by), CUBINET_ARG(count)};
    const cubinet_arg tile[] = {CUBINET_ARG(address)};
    const cubinet_launch_config config = {.size = sizeof(config), .grid = {2}, .block = {32}};
    assert_int_equal(cubinet_kernel_launch(machine_kernel(module, SCALE), &config, scale, 3), CUBINET_OK);
    assert_string_equal(simdriver_last_launch().kernel, "scale");
    assert_int_equal(cubinet_kernel_launch(machine_kernel(module, "tile"), &config, tile, 1), CUBINET_OK);
    assert_string_equal(simdriver_last_launch().kernel, "tile");
    if (has_clusters) {
        assert_int_equal(cubinet_kernel_launch(machine_kernel(module, "clustered"), &config, tile, 1),
                         CUBINET_OK);
        assert_string_equal(simdriver_last_launch().kernel, "clustered");
    }
}

static void test_a_part_is_loaded_with_its_first_kernel(void **state)
{
    (void)state;
    struct setting setting;
    begin(&setting, "9.0", SURE " compute_80");
    cubinet_image_info info = {.size = sizeof(info)};
    cubinet_module *module = machine_load(setting.driver, setting.archive, 0);
    assert_int_equal(cubinet_module_get_image(module, &info), CUBINET_OK);
    assert_int_equal(info.part_count, KERNELS);
    assert_int_equal(loads(), 0);
    machine_kernel(module, "tile");
    machine_kernel(module, "tile");
    assert_int_equal(loads(), 1);
    assert_int_equal(find_status(module, "no such kernel"), CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(loads(), 1);
    launch_all(module, true);
    assert_int_equal(loads(), KERNELS);
    assert_int_equal(simdriver_live_libraries(), KERNELS);
    expect_in(setting.lines.text,
              "info: module 'demo': takes sm_90 on device 0 (Simulated GPU 9.0), in 3 parts");
    expect_in(setting.lines.text,
              "info: module 'demo': loaded part 2 of sm_90 on device 0 (Simulated GPU 9.0)");
    unload(module);
    assert_int_equal(simdriver_calls("cuLibraryUnload"), KERNELS);
    end(&setting);
}

/* A driver's call more than these would be one in each load. */
static void test_asks_the_driver_for_no_more_than_it_needs(void **state)
{
    (void)state;
    struct setting setting;
    begin(&setting, "9.0", SURE " compute_80");
    CUcontext context = simdriver_create_context(0);
    CUfunction function = NULL;
    assert_int_equal(cuCtxPushCurrent_v2(context), 0);
    unsigned int before = simdriver_calls(NULL);
    cubinet_module *module = machine_load(setting.driver, setting.archive, 0);
    assert_int_equal(simdriver_calls(NULL) - before, 2); /* cuCtxGetCurrent, cuCtxGetDevice */
    cubinet_kernel *kernel = machine_kernel(module, "clustered");
    /* cuCtxGetCurrent, cuLibraryLoadData, cuLibraryGetKernel */
    assert_int_equal(simdriver_calls(NULL) - before, 5);
    assert_int_equal(cubinet_kernel_get_function(kernel, &function), CUBINET_OK);
    /* cuCtxGetCurrent, cuThreadExchangeStreamCaptureMode twice, cuKernelGetFunction */
    assert_int_equal(simdriver_calls(NULL) - before, 9);
    machine_kernel(module, "clustered");
    assert_int_equal(simdriver_calls(NULL) - before, 9);
    unload(module);
    CUcontext popped = NULL;
    assert_int_equal(cuCtxPopCurrent_v2(&popped), 0);
    simdriver_destroy_context(context);
    end(&setting);
}

/* The module's own context is current while a part is loaded, and no longer. */
static void test_loads_in_the_context_of_the_module(void **state)
{
    (void)state;
    struct setting setting;
    begin(&setting, "9.0,9.0", SURE);
    cubinet_module *module = machine_load(setting.driver, setting.archive, 0);
    CUcontext other = simdriver_create_context(1);
    CUcontext popped = NULL;
    assert_int_equal(cuCtxPushCurrent_v2(other), 0);
    launch_all(module, true);
    machine_expect_current(other);
    assert_int_equal(simdriver_last_launch().device, 0);
    assert_int_equal(cuCtxPopCurrent_v2(&popped), 0);
    unload(module);
    simdriver_destroy_context(other);
    end(&setting);
}

static void test_proves_what_is_not_sure_with_its_first_part(void **state)
{
    (void)state;
    static const struct {
        const char *images;
        const char *loaded;
    } cases[] = {{UNSURE, "sm_80"}, {AS_PTX, "compute_80"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct setting setting;
        begin(&setting, "8.6", cases[i].images);
        cubinet_module *module = machine_load(setting.driver, setting.archive, 0);
        expect_image(module, cases[i].loaded);
        assert_int_equal(loads(), 1);
        assert_int_equal(simdriver_calls("cuKernelGetFunction"), 1);
        machine_kernel(module, SCALE); /* it is in that part */
        assert_int_equal(loads(), 1);
        launch_all(module, false);
        assert_int_equal(loads(), 2);
        unload(module);
        end(&setting);
    }
}

static void test_globals_are_in_one_part(void **state)
{
    (void)state;
    struct setting setting;
    begin(&setting, "9.0", SURE);
    cubinet_module *module = machine_load(setting.driver, setting.archive, 0);
    CUdeviceptr table = 0;
    CUdeviceptr factor = 0;
    size_t bytes = 0;
    assert_int_equal(cubinet_module_find_global(module, "nothing", &table, &bytes), CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(loads(), 0);
    assert_int_equal(cubinet_module_find_global(module, "table", &table, &bytes), CUBINET_OK);
    assert_int_equal(bytes, 256);
    assert_int_equal(loads(), 1);
    machine_kernel(module, "tile");
    assert_int_equal(loads(), 1);
    assert_int_equal(cubinet_module_find_global(module, "factor", &factor, &bytes), CUBINET_OK);
    assert_int_equal(bytes, 4);
    assert_int_equal(loads(), 2);
    assert_true(table != factor && table && factor);
    machine_kernel(module, SCALE);
    assert_int_equal(loads(), 2);
    unload(module);
    end(&setting);
}

static void test_each_kernel_tells_its_library(void **state)
{
    (void)state;
    struct setting setting;
    begin(&setting, "9.0,8.0", SURE " sm_80");
    cubinet_module *parts = machine_load(setting.driver, setting.archive, 0);
    cubinet_module *whole = machine_load(setting.driver, setting.archive, 1);
    CUlibrary scale = cubinet_kernel_get_library(machine_kernel(parts, SCALE));
    CUlibrary tile = cubinet_kernel_get_library(machine_kernel(parts, "tile"));
    CUkernel handle = NULL;
    assert_ptr_not_equal(scale, tile);
    assert_null(cubinet_module_get_library(parts));
    assert_int_equal(cuLibraryGetKernel(&handle, tile, "tile"), 0);
    assert_ptr_equal(handle, cubinet_kernel_get_handle(machine_kernel(parts, "tile")));
    assert_non_null(cubinet_module_get_library(whole));
    assert_ptr_equal(cubinet_kernel_get_library(machine_kernel(whole, SCALE)),
                     cubinet_module_get_library(whole));
    assert_null(cubinet_kernel_get_library(NULL));
    unload(parts);
    unload(whole);
    end(&setting);
}

static void test_a_refusal_at_the_first_kernel_is_of_the_whole_image(void **state)
{
    (void)state;
    static const char *const functions[] = {"cuLibraryLoadData", "cuLibraryGetKernel"};
    for (size_t i = 0; i < COUNT(functions); i++) {
        struct setting setting;
        begin(&setting, "9.0", SURE " " SURE_A " compute_80");
        cubinet_module *module = machine_load(setting.driver, setting.archive, 0);
        expect_image(module, "sm_90a");
        simdriver_fail(functions[i], 1, CBN_CU_NO_BINARY_FOR_GPU, false);
        machine_kernel(module, "tile");
        expect_image(module, "sm_90");
        launch_all(module, true);
        assert_int_equal(simdriver_live_libraries(), KERNELS);
        expect_in(
            setting.lines.text,
            "warning: module 'demo': the driver refused sm_90a on device 0 (Simulated GPU 9.0): part 2: ");
        expect_in(setting.lines.text, functions[i]);
        expect_in(setting.lines.text, "info: module 'demo': takes sm_90 on device 0");
        unload(module);
        end(&setting);
    }
}

/* One part is not what it is filed as. */
static void test_kernels_never_come_from_different_images(void **state)
{
    (void)state;
    static const char *const images[] = {"sm_90=scale_90+tile_80 compute_80",
                                         "sm_90=scale_90+tile_80 " AS_PTX};
    for (size_t i = 0; i < COUNT(images); i++) {
        struct setting setting;
        begin(&setting, "9.0", images[i]);
        /* The bad part first: all kernels are of the next image. */
        cubinet_module *first = machine_load(setting.driver, setting.archive, 0);
        expect_image(first, "sm_90");
        machine_kernel(first, "tile");
        expect_image(first, "compute_80");
        launch_all(first, false);
        /* The good part first: the other one's kernel can't be had. */
        cubinet_module *second = machine_load(setting.driver, setting.archive, 0);
        cubinet_kernel *scale = machine_kernel(second, SCALE);
        assert_int_equal(find_status(second, "tile"), CUBINET_ERROR_NO_IMAGE);
        expect_in(
            cubinet_error_message(),
            "module 'demo': the driver refused a part of sm_90 on device 0 (Simulated GPU 9.0), which the "
            "module already uses, so it can't change to another image: part 1: cuLibraryGetKernel of "
            "'tile' failed: CUDA_ERROR_NO_BINARY_FOR_GPU (209)");
        assert_int_equal(cubinet_error_driver_result(), CBN_CU_NO_BINARY_FOR_GPU);
        expect_image(second, "sm_90");
        assert_ptr_equal(machine_kernel(second, SCALE), scale);
        CUdeviceptr table = 0;
        assert_int_equal(cubinet_module_find_global(second, "table", &table, NULL), CUBINET_ERROR_NO_IMAGE);
        unload(first);
        unload(second);
        end(&setting);
    }
}

/* Also where the first part had proved that the image runs. */
static void test_moves_on_while_nothing_was_handed_out(void **state)
{
    (void)state;
    struct setting setting;
    begin(&setting, "8.6", "sm_80=scale_80+tile_90 compute_80=scale+tile compute_75");
    cubinet_module *module = machine_load(setting.driver, setting.archive, 0);
    expect_image(module, "sm_80");
    assert_int_equal(loads(), 1);
    simdriver_fail("cuLibraryLoadData", 2, CBN_CU_INVALID_PTX, false); /* and then the PTX, too */
    CUdeviceptr table = 0;
    assert_int_equal(cubinet_module_find_global(module, "table", &table, NULL), CUBINET_OK);
    expect_image(module, "compute_75");
    launch_all(module, false);
    assert_int_equal(simdriver_live_libraries(), 1);
    assert_ptr_equal(cubinet_module_get_library(module),
                     cubinet_kernel_get_library(machine_kernel(module, "tile")));
    unload(module);
    end(&setting);
}

static void test_says_why_no_image_is_left_and_tries_again(void **state)
{
    (void)state;
    struct setting setting;
    begin(&setting, "9.0", SURE " " SURE_A " sm_80 compute_80@9.9");
    cubinet_module *module = machine_load(setting.driver, setting.archive, 0);
    simdriver_fail("cuLibraryLoadData", 1, CBN_CU_NO_BINARY_FOR_GPU, true);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(find_status(module, "tile"), CUBINET_ERROR_NO_IMAGE);
        expect_in(cubinet_error_message(), "no image of module 'demo' runs on device 0");
        expect_in(cubinet_error_message(), "\n  sm_90a: ");
        expect_in(cubinet_error_message(), "\n  sm_90: part 2: cuLibraryLoadData failed: ");
        expect_in(cubinet_error_message(), "\n  sm_80 needs compute capability 8.0");
        assert_int_equal(simdriver_live_libraries(), 0);
    }
    simdriver_fail_none();
    launch_all(module, true);
    expect_image(module, "sm_90a");
    unload(module);
    end(&setting);
}

/* What no other image would cure leaves the image as it is. */
static void test_trouble_with_a_part_is_reported(void **state)
{
    (void)state;
    struct setting setting;
    begin(&setting, "9.0", SURE " compute_80");
    cubinet_module *module = machine_load(setting.driver, setting.archive, 0);
    for (int i = 0; i < 2; i++) { /* before the module settles and after */
        simdriver_fail("cuLibraryLoadData", 1, CBN_CU_OUT_OF_MEMORY, false);
        assert_int_equal(find_status(module, i ? SCALE : "tile"), CUBINET_ERROR_DEVICE_MEMORY);
        machine_kernel(module, i ? SCALE : "tile");
        expect_image(module, "sm_90");
    }
    unload(module);
    end(&setting);
}

/* The text of the policy is the program's again after the load. */
static void test_the_policy_holds_for_parts_that_are_loaded_later(void **state)
{
    (void)state;
    struct setting setting;
    begin(&setting, "9.0", SURE " compute_80");
    char only[] = "sm_90";
    cubinet_policy policy = {.size = sizeof(policy), .only = only};
    const cubinet_load_options options = {.size = sizeof(options), .policy = &policy};
    cubinet_module *module = NULL;
    assert_int_equal(cubinet_module_load(setting.driver, setting.archive, DEMO, 0, &options, &module),
                     CUBINET_OK);
    memset(only, 'x', sizeof(only));
    policy = (cubinet_policy){0};
    simdriver_fail("cuLibraryLoadData", 1, CBN_CU_NO_BINARY_FOR_GPU, false);
    assert_int_equal(find_status(module, "tile"), CUBINET_ERROR_NO_IMAGE);
    expect_in(cubinet_error_message(), "compute_80: only 'sm_90' is allowed");
    machine_kernel(module, "tile"); /* the driver is itself again */
    expect_image(module, "sm_90");
    unload(module);
    end(&setting);
}

/* A cache that the program named is not used after the load: so the image is proved then. */
static void test_settles_at_once_where_a_link_would_need_what_may_be_gone(void **state)
{
    (void)state;
    struct setting setting;
    begin(&setting, "9.0", SURE " lto_80");
    const cubinet_load_options options = {.size = sizeof(options),
                                          .nvjitlink = "/nonexistent/libnvJitLink.so"};
    cubinet_module *module = NULL;
    assert_int_equal(cubinet_module_load(setting.driver, setting.archive, DEMO, 0, &options, &module),
                     CUBINET_OK);
    assert_int_equal(loads(), 1);
    launch_all(module, true);
    assert_int_equal(loads(), KERNELS);
    unload(module);
    module = machine_load(setting.driver, setting.archive, 0);
    assert_int_equal(loads(), KERNELS);
    unload(module);
    end(&setting);
}

static void test_devices_share_parts(void **state)
{
    (void)state;
    struct setting setting;
    begin(&setting, "9.0,9.0,8.0", SURE " " UNSURE);
    cubinet_module *modules[3];
    assert_int_equal(
        cubinet_module_load_devices(setting.driver, setting.archive, DEMO, NULL, 3, NULL, modules),
        CUBINET_OK);
    assert_int_equal(loads(), 2); /* the first part for the two, and for the third */
    launch_all(modules[1], true);
    unsigned int params = simdriver_calls("cuKernelGetParamInfo");
    launch_all(modules[0], true);
    assert_int_equal(simdriver_calls("cuKernelGetParamInfo"), 2 * params); /* it knows how many to ask for */
    assert_int_equal(loads(), KERNELS + 1);
    assert_ptr_equal(cubinet_kernel_get_library(machine_kernel(modules[0], "tile")),
                     cubinet_kernel_get_library(machine_kernel(modules[1], "tile")));
    cubinet_archive_close(setting.archive);
    setting.archive = NULL;
    unload(modules[0]);
    assert_int_equal(simdriver_live_libraries(), KERNELS + 1);
    launch_all(modules[1], true);
    assert_int_equal(simdriver_last_launch().device, 1);
    unload(modules[1]);
    assert_int_equal(simdriver_live_libraries(), 1);
    launch_all(modules[2], false);
    unload(modules[2]);
    end(&setting);
}

static void test_compressed_parts_load(void **state)
{
    (void)state;
    static const char *const images[] = {SURE, AS_PTX};
    for (size_t i = 0; i < COUNT(images); i++) {
        struct lines lines = {""};
        cubinet_driver *driver = machine_start("9.0", collect, &lines);
        cubinet_archive *archive = machine_archive(images[i], 19);
        cubinet_module *module = machine_load(driver, archive, 0);
        cubinet_archive_close(archive);
        launch_all(module, i == 0);
        unload(module);
        machine_stop(driver);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_part_is_loaded_with_its_first_kernel),
        cmocka_unit_test(test_asks_the_driver_for_no_more_than_it_needs),
        cmocka_unit_test(test_loads_in_the_context_of_the_module),
        cmocka_unit_test(test_proves_what_is_not_sure_with_its_first_part),
        cmocka_unit_test(test_globals_are_in_one_part),
        cmocka_unit_test(test_each_kernel_tells_its_library),
        cmocka_unit_test(test_a_refusal_at_the_first_kernel_is_of_the_whole_image),
        cmocka_unit_test(test_kernels_never_come_from_different_images),
        cmocka_unit_test(test_moves_on_while_nothing_was_handed_out),
        cmocka_unit_test(test_says_why_no_image_is_left_and_tries_again),
        cmocka_unit_test(test_trouble_with_a_part_is_reported),
        cmocka_unit_test(test_the_policy_holds_for_parts_that_are_loaded_later),
        cmocka_unit_test(test_settles_at_once_where_a_link_would_need_what_may_be_gone),
        cmocka_unit_test(test_devices_share_parts),
        cmocka_unit_test(test_compressed_parts_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
