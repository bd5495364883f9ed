/* SPDX-License-Identifier: Apache-2.0 */
/* Modules whose LTO-IR is linked because they are loaded. */
#include "link_fixture.h"
#include "machine.h"
#include "unit.h"

#include "loader/core/record/record_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static const cubinet_policy prefer_ltoir = {.size = sizeof(prefer_ltoir),
                                            .flags = CUBINET_POLICY_PREFER_LTOIR};

static cubinet_load_options with(const char *nvjitlink)
{
    return (cubinet_load_options){
        .size = sizeof(cubinet_load_options), .nvjitlink = nvjitlink, .flags = CUBINET_LOAD_NO_CACHE};
}

/* The sm_90 cubin of the module "demo", for the fake nvJitLink to give; the caller frees it. */
static void fake_gives_demo(cubinet_archive *archive, void **out_cubin)
{
    cubinet_image_info image = {.size = sizeof(image)};
    expect_ok(cubinet_archive_get_image(archive, 0, 0, &image));
    *out_cubin = malloc((size_t)image.raw_size);
    assert_non_null(*out_cubin);
    expect_ok(cubinet_archive_read_image(archive, 0, 0, *out_cubin, (size_t)image.raw_size));
    fake_set(FAKE_WORKS, *out_cubin, (size_t)image.raw_size);
}

static void test_a_module_of_ltoir_is_linked_when_it_is_loaded(void **state)
{
    (void)state;
    struct lines lines = {""};
    cubinet_driver *driver = machine_start("9.0", collect, &lines);
    const struct made_module modules[] = {apply_module, twice_module};
    cubinet_archive *archive = link_archive(modules, 2);
    const cubinet_load_options options = with(real_nvjitlink());
    cubinet_module *module = NULL;
    char target[CUBINET_TARGET_NAME_SIZE];
    expect_ok(cubinet_module_load(driver, archive, "apply", 0, &options, &module));
    cubinet_archive_close(archive);
    assert_string_equal(machine_loaded(module, target), "sm_90");
    expect_in(lines.text, "info: module 'apply': linked for sm_90 by nvJitLink ");
    expect_in(lines.text, "info: module 'apply': loaded lto_75 on device 0");
    cubinet_kernel_resources resources = {.size = sizeof(resources)};
    expect_ok(cubinet_kernel_get_resources(machine_kernel(module, "apply<float>"), &resources));
    assert_int_equal(resources.param_bytes, 12);
    expect_ok(cubinet_module_unload(module));
    machine_stop(driver);
}

/* Which kernels wait for others is seen in what was linked, of which no archive records it. */
static void test_linked_code_tells_which_kernels_wait(void **state)
{
    (void)state;
    static const struct made_module waits = {
        .name = "waits",
        .architecture = "90",
        .source = "extern \"C\" __global__ void kernel(float *x) {\n"
                  "    asm volatile(\"griddepcontrol.wait;\" ::: \"memory\"); *x = 1; }\n",
        .kernel = "kernel",
        .expression = "",
    };
    static const struct made_module never = {
        .name = "never",
        .architecture = "90",
        .source = "extern \"C\" __global__ void kernel(float *x) { *x = 1; }\n",
        .kernel = "kernel",
        .expression = "",
    };
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    const struct made_module modules[] = {never, waits};
    cubinet_archive *archive = link_archive(modules, 2);
    const cubinet_load_options options = with(real_nvjitlink());
    CUdeviceptr address = 0x1000;
    const cubinet_arg args[] = {CUBINET_ARG(address)};
    const cubinet_launch_config config = {
        .size = sizeof(config), .grid = {1}, .block = {1}, .flags = CUBINET_LAUNCH_PROGRAMMATIC};
    for (size_t i = 0; i < 2; i++) {
        cubinet_module *module = NULL;
        expect_ok(cubinet_module_load(driver, archive, modules[i].name, 0, &options, &module));
        cubinet_status status = cubinet_kernel_launch(machine_kernel(module, "kernel"), &config, args, 1);
        assert_int_equal(status, i == 0 ? CUBINET_ERROR_INVALID_ARGUMENT : CUBINET_OK);
        expect_ok(cubinet_module_unload(module));
    }
    cubinet_archive_close(archive);
    machine_stop(driver);
}

/* Both modules that were linked, and the one that was asked for as what it is. */
static void test_what_was_linked_is_recorded(void **state)
{
    (void)state;
    char path[] = "/tmp/test_link_load_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    setenv("CUBINET_RECORD", path, 1);
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    unsetenv("CUBINET_RECORD");
    const struct made_module modules[] = {apply_module, twice_module};
    cubinet_archive *archive = link_archive(modules, 2);
    const cubinet_load_options options = with(real_nvjitlink());
    cubinet_module *module = NULL;
    expect_ok(cubinet_module_load(driver, archive, "apply", 0, &options, &module));
    machine_kernel(module, "apply<float>");
    expect_ok(cubinet_module_unload(module));
    struct cbn_record record = {0};
    expect_ok(cbn_record_read(path, &record));
    static const char *const uses[][3] = {{CBN_RECORD_LINKED, "apply", "lto_75"},
                                          {CBN_RECORD_LINKED, "twice", "lto_75"},
                                          {CBN_RECORD_MODULE, "apply", "sm_90"},
                                          {CBN_RECORD_FOUND, "apply", "sm_90"}};
    assert_int_equal(record.count, COUNT(uses));
    for (size_t i = 0; i < COUNT(uses); i++) {
        assert_string_equal(record.entries[i].use, uses[i][0]);
        assert_string_equal(record.entries[i].module, uses[i][1]);
        assert_string_equal(record.entries[i].image, uses[i][2]);
        assert_string_equal(record.entries[i].archive_digest, record.entries[0].archive_digest);
    }
    cbn_record_free(&record);
    cubinet_archive_close(archive);
    machine_stop(driver);
    unlink(path);
}

static void test_what_nobody_defines_is_named(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    const struct made_module modules[] = {apply_module, half_module, twice_module};
    const cubinet_load_options options = with(real_nvjitlink());
    for (size_t count = 1; count <= 3; count += 2) {
        cubinet_archive *archive = link_archive(modules, count);
        cubinet_module *module = NULL;
        assert_int_equal(cubinet_module_load(driver, archive, "apply", 0, &options, &module),
                         CUBINET_ERROR_NO_IMAGE);
        expect_in(cubinet_error_message(), count == 1
                                               ? "lto_75: nothing defines 'op', which module 'apply'"
                                               : "lto_75: 'op' is missing, and modules 'half' and 'twice'");
        cubinet_archive_close(archive);
    }
    machine_stop(driver);
}

static void expect_ptx_instead(const char *nvjitlink, const char *warning)
{
    struct lines lines = {""};
    cubinet_driver *driver = machine_start("9.0", collect, &lines);
    const struct made_module made = {.name = "plain",
                                     .source = "extern \"C\" __global__ void plain() {}",
                                     .kernel = "plain",
                                     .floor = 13000,
                                     .ptx_target = "compute_80"};
    cubinet_archive *archive = link_archive(&made, 1);
    const cubinet_load_options options = with(nvjitlink);
    cubinet_module *module = NULL;
    char target[CUBINET_TARGET_NAME_SIZE];
    expect_ok(cubinet_module_load(driver, archive, "plain", 0, &options, &module));
    assert_string_equal(machine_loaded(module, target), "compute_80");
    machine_kernel(module, "plain");
    if (warning) {
        expect_in(lines.text, warning);
    }
    assert_string_equal(cubinet_error_message(), "");
    expect_ok(cubinet_module_unload(module));
    cubinet_archive_close(archive);
    machine_stop(driver);
}

/* First of all tests, while no call has failed in this thread. */
static void test_where_there_is_no_nvjitlink_ptx_is_loaded(void **state)
{
    (void)state;
    expect_ptx_instead("/nonexistent",
                       "warning: module 'plain': its LTO-IR is not linked: /nonexistent, which the program "
                       "names as nvJitLink, cannot be used");
    expect_ptx_instead(fake_old_nvjitlink(), NULL);
    fake_set(FAKE_REFUSES_PIECES, NULL, 0);
    expect_ptx_instead(fake_nvjitlink(), "warning: module 'plain': lto_75 could not be linked for device 0");
}

static void test_the_explanation_says_what_speaks_against_linking(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    struct made_module made = apply_module;
    made.floor = 13000;
    cubinet_archive *archive = link_archive(&made, 1);
    cubinet_module *module = NULL;
    cubinet_load_options options = with("/nonexistent");
    assert_int_equal(cubinet_module_load(driver, archive, "apply", 0, &options, &module),
                     CUBINET_ERROR_NO_IMAGE);
    expect_in(cubinet_error_message(), "lto_75 needs nvJitLink, which is missing");
    options.nvjitlink = fake_old_nvjitlink();
    assert_int_equal(cubinet_module_load(driver, archive, "apply", 0, &options, &module),
                     CUBINET_ERROR_NO_IMAGE);
    expect_in(cubinet_error_message(), "lto_75 needs an nvJitLink 13.x, 13.0 or later; this one is 12.1");
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_a_cubin_needs_no_nvjitlink_unless_it_is_refused(void **state)
{
    (void)state;
    struct lines lines = {""};
    cubinet_driver *driver = machine_start("9.0", collect, &lines);
    cubinet_archive *archive = machine_archive("sm_90 lto_80", 0);
    cubinet_load_options options = with(fake_nvjitlink());
    cubinet_module *module = NULL;
    void *cubin = NULL;
    fake_gives_demo(archive, &cubin);
    expect_ok(cubinet_module_load(driver, archive, "demo", 0, &options, &module));
    assert_int_equal(fake_links(), 0);
    assert_null(strstr(lines.text, "nvJitLink"));
    expect_ok(cubinet_module_unload(module));

    options.policy = &prefer_ltoir;
    expect_ok(cubinet_module_load(driver, archive, "demo", 0, &options, &module));
    assert_int_equal(fake_links(), 1);
    expect_in(lines.text, "info: nvJitLink: ptxas info : first\ninfo: nvJitLink: ptxas info : second\n");
    expect_ok(cubinet_module_unload(module));

    options.policy = NULL;
    simdriver_fail("cuLibraryGetKernel", 1, 209 /* CUDA_ERROR_NO_BINARY_FOR_GPU */, false);
    expect_ok(cubinet_module_load(driver, archive, "demo", 0, &options, &module));
    assert_int_equal(fake_links(), 2);
    machine_kernel(module, "scale<float>");
    expect_ok(cubinet_module_unload(module));
    free(cubin);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_when_the_driver_refuses_what_was_linked_the_next_is_tried(void **state)
{
    (void)state;
    struct lines lines = {""};
    cubinet_driver *driver = machine_start("9.0", collect, &lines);
    cubinet_archive *archive = machine_archive("sm_90 lto_80 compute_80", 0);
    cubinet_load_options options = with(fake_nvjitlink());
    cubinet_module *module = NULL;
    char target[CUBINET_TARGET_NAME_SIZE];
    void *cubin = NULL;
    fake_gives_demo(archive, &cubin);
    options.policy = &prefer_ltoir;
    simdriver_fail("cuLibraryGetKernel", 1, 209 /* CUDA_ERROR_NO_BINARY_FOR_GPU */, false);
    expect_ok(cubinet_module_load(driver, archive, "demo", 0, &options, &module));
    assert_string_equal(machine_loaded(module, target), "sm_90");
    expect_in(lines.text, "warning: module 'demo': the driver refused lto_80 on device 0");
    expect_in(lines.text, "info: module 'demo': loaded sm_90 on device 0");
    machine_kernel(module, "scale<float>");
    expect_ok(cubinet_module_unload(module));
    free(cubin);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_devices_share_what_was_linked(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0,9.0,9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_90 lto_80", 0);
    cubinet_load_options options = with(fake_nvjitlink());
    cubinet_module *modules[3];
    void *cubin = NULL;
    fake_gives_demo(archive, &cubin);
    options.policy = &prefer_ltoir;
    expect_ok(cubinet_module_load_devices(driver, archive, "demo", NULL, 3, &options, modules));
    assert_int_equal(fake_links(), 1);
    assert_int_equal(simdriver_live_libraries(), 1);
    for (size_t i = 0; i < COUNT(modules); i++) {
        machine_kernel(modules[i], "scale<float>");
        expect_ok(cubinet_module_unload(modules[i]));
    }
    free(cubin);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_pieces_are_not_loaded_without_a_link(void **state)
{
    (void)state;
    cubinet_image_info image = {
        .size = sizeof(image),
        .target = {CUBINET_IMAGE_CUBIN, 90, 0},
        .flags = CUBINET_IMAGE_IS_PIECE,
        .needed_count = 1,
    };
    const cubinet_device_profile device = {.size = sizeof(device), .compute_major = 9};
    cubinet_verdict verdict;
    char text[256];
    assert_int_equal(cubinet_images_rank(&image, 1, &device, NULL, &verdict), 0);
    assert_int_equal(verdict.reasons, CUBINET_REASON_UNLINKED);
    cubinet_verdict_describe(&verdict, &image, &device, NULL, text, sizeof(text));
    expect_in(text, "has to be linked with them first");
    image.needed_count = 0;
    assert_int_equal(cubinet_images_rank(&image, 1, &device, NULL, &verdict), 1);
}

static void test_the_profile_tells_the_nvjitlink_there_is(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_device_profile profile = {.size = sizeof(profile)};
    setenv("CUBINET_NVJITLINK", fake_nvjitlink(), 1);
    expect_ok(cubinet_driver_get_profile(driver, 0, &profile));
    assert_int_equal(profile.nvjitlink_version, 13000);
    setenv("CUBINET_NVJITLINK", "/nonexistent", 1);
    expect_ok(cubinet_driver_get_profile(driver, 0, &profile));
    assert_int_equal(profile.nvjitlink_version, 0);
    machine_stop(driver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_where_there_is_no_nvjitlink_ptx_is_loaded),
        cmocka_unit_test(test_a_module_of_ltoir_is_linked_when_it_is_loaded),
        cmocka_unit_test(test_linked_code_tells_which_kernels_wait),
        cmocka_unit_test(test_what_was_linked_is_recorded),
        cmocka_unit_test(test_what_nobody_defines_is_named),
        cmocka_unit_test(test_the_explanation_says_what_speaks_against_linking),
        cmocka_unit_test(test_a_cubin_needs_no_nvjitlink_unless_it_is_refused),
        cmocka_unit_test(test_when_the_driver_refuses_what_was_linked_the_next_is_tried),
        cmocka_unit_test(test_devices_share_what_was_linked),
        cmocka_unit_test(test_pieces_are_not_loaded_without_a_link),
        cmocka_unit_test(test_the_profile_tells_the_nvjitlink_there_is),
    };
    return cmocka_run_group_tests(tests, link_tools_open, link_tools_close);
}
