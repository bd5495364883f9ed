/* SPDX-License-Identifier: Apache-2.0 */
/* Loading modules: which image, what happens when the driver refuses one, contexts, kernels, globals. */
#include "machine.h"
#include "simcuda.h"
#include "unit.h"

#include <cubinet/catalog.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct lines {
    char text[4096];
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

static void expect_loaded(cubinet_driver *driver, const cubinet_archive *archive, int device,
                          const char *target)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    cubinet_module *module = machine_load(driver, archive, device);
    assert_string_equal(machine_loaded(module, name), target);
    machine_expect_current(NULL);
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    machine_expect_clean(NULL);
}

static void test_each_device_gets_its_image(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0,8.7t,8.6,7.5,8.9,12.0,10.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_75 sm_80 sm_87 sm_90 sm_90a compute_80", 0);
    static const char *const expected[] = {"sm_90a", "sm_87",      "sm_80",     "sm_75",
                                           "sm_80",  "compute_80", "compute_80"};
    for (int device = 0; device < (int)COUNT(expected); device++) {
        expect_loaded(driver, archive, device, expected[device]);
    }
    cubinet_archive_close(archive);
    machine_stop(driver);
}

/* The module outlives the catalog and its archives. */
static void test_loads_from_a_catalog(void **state)
{
    (void)state;
    char folder[] = "/tmp/cubinet-test-XXXXXX";
    char older[64];
    char newer[64];
    assert_non_null(mkdtemp(folder));
    snprintf(older, sizeof(older), "%s/b.cubinet", folder);
    snprintf(newer, sizeof(newer), "%s/a.cubinet", folder);
    machine_archive_file("sm_80", "1.0", older);
    machine_archive_file("sm_75", "1.1", newer);
    cubinet_driver *driver = machine_start("8.0", NULL, NULL);
    const cubinet_catalog_options options = {.size = sizeof(options),
                                             .flags = CUBINET_CATALOG_NO_ENVIRONMENT};
    const cubinet_archive *archive = NULL;
    cubinet_catalog *catalog = NULL;
    assert_int_equal(cubinet_catalog_open(folder, &options, &catalog), CUBINET_OK);
    assert_int_equal(cubinet_catalog_find_module(catalog, DEMO, &archive, NULL), CUBINET_OK);
    cubinet_module *module = NULL;
    char name[CUBINET_TARGET_NAME_SIZE];
    assert_int_equal(cubinet_module_load(driver, archive, DEMO, 0, NULL, &module), CUBINET_ERROR_NO_IMAGE);
    unlink(newer);
    cubinet_catalog_close(catalog);
    assert_int_equal(cubinet_catalog_open(folder, &options, &catalog), CUBINET_OK);
    assert_int_equal(cubinet_catalog_find_module(catalog, DEMO, &archive, NULL), CUBINET_OK);
    assert_int_equal(cubinet_module_load(driver, archive, DEMO, 0, NULL, &module), CUBINET_OK);
    cubinet_catalog_close(catalog);
    assert_string_equal(machine_loaded(module, name), "sm_80");
    machine_kernel(module, "scale<float>");
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    machine_stop(driver);
    unlink(older);
    rmdir(folder);
}

static void test_loads_for_several_devices_at_once(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0,7.5,9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_75 sm_90", 0);
    char name[CUBINET_TARGET_NAME_SIZE];
    cubinet_module *modules[3];
    for (int device = 0; device < 3; device++) {
        modules[device] = machine_load(driver, archive, device);
    }
    assert_string_equal(machine_loaded(modules[0], name), "sm_90");
    assert_string_equal(machine_loaded(modules[1], name), "sm_75");
    assert_ptr_not_equal(cubinet_module_get_context(modules[0]), cubinet_module_get_context(modules[2]));
    assert_ptr_not_equal(cubinet_module_get_library(modules[0]), cubinet_module_get_library(modules[2]));
    /* In another order than they were loaded, and after the archive is closed. */
    cubinet_archive_close(archive);
    assert_int_equal(cubinet_module_unload(modules[1]), CUBINET_OK);
    assert_int_equal(cubinet_module_unload(modules[0]), CUBINET_OK);
    assert_int_equal(simdriver_live_libraries(), 1);
    assert_int_equal(cubinet_module_unload(modules[2]), CUBINET_OK);
    machine_stop(driver);
}

static void test_compressed_images_load(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0,8.6", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_90 compute_80", 19);
    cubinet_image_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_archive_get_image(archive, 0, 0, &info), CUBINET_OK);
    assert_int_equal(info.encoding, CUBINET_ENCODING_ZSTD);
    expect_loaded(driver, archive, 0, "sm_90");
    expect_loaded(driver, archive, 1, "compute_80");
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_takes_the_next_image_when_the_driver_refuses_one(void **state)
{
    (void)state;
    static const struct {
        const char *function;
        const char *device;
        const char *images;
        const char *refused;
        const char *loaded;
    } cases[] = {
        {"cuLibraryLoadData", "9.0", "sm_90 sm_90a compute_80", "sm_90a", "sm_90"},
        {"cuLibraryGetKernel", "9.0", "sm_90 sm_90a compute_80", "sm_90a", "sm_90"},
        {"cuKernelGetFunction", "8.6", "sm_80 compute_80", "sm_80", "compute_80"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lines lines = {""};
        char line[200];
        cubinet_driver *driver = machine_start(cases[i].device, collect, &lines);
        cubinet_archive *archive = machine_archive(cases[i].images, 0);
        simdriver_fail(cases[i].function, 1, CBN_CU_NO_BINARY_FOR_GPU, false);
        expect_loaded(driver, archive, 0, cases[i].loaded);
        snprintf(line, sizeof(line),
                 "warning: module 'demo': the driver refused %s on device 0 (Simulated GPU %s): ",
                 cases[i].refused, cases[i].device);
        expect_in(lines.text, line);
        expect_in(lines.text, cases[i].function);
        expect_in(lines.text, "CUDA_ERROR_NO_BINARY_FOR_GPU (209)");
        snprintf(line, sizeof(line), "info: module 'demo': loaded %s on device 0", cases[i].loaded);
        expect_in(lines.text, line);
        cubinet_archive_close(archive);
        machine_stop(driver);
    }
}

/* An image that is not what it is filed as: the driver accepts the bytes and has no kernels in them. */
static void test_finds_out_that_an_image_is_for_another_gpu(void **state)
{
    (void)state;
    struct lines lines = {""};
    cubinet_driver *driver = machine_start("9.0", collect, &lines);
    cubinet_archive *archive = machine_archive("sm_90=sm_80 compute_75", 0);
    expect_loaded(driver, archive, 0, "compute_75");
    expect_in(lines.text, "refused sm_90");
    expect_in(lines.text, "cuLibraryGetKernel of 'scale' failed: CUDA_ERROR_NO_BINARY_FOR_GPU");
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_loading_leaves_the_last_error_alone(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("8.0,9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_80 sm_90=sm_80 compute_80", 0);
    cubinet_module *module = NULL;
    assert_int_equal(cubinet_module_load(driver, archive, "dem", 0, NULL, &module), CUBINET_ERROR_NOT_FOUND);
    char before[256];
    snprintf(before, sizeof(before), "%s", cubinet_error_message());
    expect_in(before, "demo");
    expect_loaded(driver, archive, 0, "sm_80");
    expect_loaded(driver, archive, 1, "compute_80"); /* after a refusal */
    assert_string_equal(cubinet_error_message(), before);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_lists_every_image_when_none_runs(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive =
        machine_archive("sm_80 sm_90=sm_80 sm_120 compute_80@9.9 compute_75 lto_75", 0);
    simdriver_fail("cuLibraryLoadData", 2, CBN_CU_INVALID_PTX, false);
    cubinet_module *module = NULL;
    assert_int_equal(cubinet_module_load(driver, archive, DEMO, 0, NULL, &module), CUBINET_ERROR_NO_IMAGE);
    assert_null(module);
    const char *message = cubinet_error_message();
    expect_in(message,
              "no image of module 'demo' runs on device 0 (Simulated GPU 9.0, compute capability 9.0, "
              "driver for CUDA 13.0):\n");
    expect_in(message, "\n  sm_90: cuLibraryGetKernel of 'scale' failed: CUDA_ERROR_NO_BINARY_FOR_GPU (209)");
    expect_in(message, "\n  compute_75: cuLibraryLoadData failed: CUDA_ERROR_INVALID_PTX (218)");
    expect_in(message, "\n  sm_80 needs compute capability 8.0");
    expect_in(message, "\n  sm_120 needs compute capability 12.0");
    expect_in(message, "\n  compute_80: cubinet ");
    expect_in(message, "\n  lto_75 needs nvJitLink");
    int lines = 0;
    for (const char *at = message; (at = strchr(at, '\n')); at++) {
        lines++;
    }
    assert_int_equal(lines, 6);
    assert_int_equal(cubinet_error_driver_result(), CBN_CU_INVALID_PTX);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

/* Device memory runs out at the second image: the load ends there, and what became of the first is not lost.
 */
static void test_logs_a_refusal_also_when_the_load_fails_after_it(void **state)
{
    (void)state;
    struct lines lines = {""};
    cubinet_driver *driver = machine_start("9.0", collect, &lines);
    cubinet_archive *archive = machine_archive("sm_90 sm_90a", 0);
    cubinet_module *module = NULL;
    simdriver_fail("cuLibraryGetKernel", 1, CBN_CU_NO_BINARY_FOR_GPU, false);
    simdriver_fail("cuLibraryLoadData", 2, CBN_CU_OUT_OF_MEMORY, false);
    assert_int_equal(cubinet_module_load(driver, archive, "demo", 0, NULL, &module),
                     CUBINET_ERROR_DEVICE_MEMORY);
    expect_in(lines.text, "the driver refused sm_90a");
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_quotes_the_jit_log(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("compute_80@8.8", 0);
    simdriver_set_version(12000); /* what the driver turns out to be, after it was opened as a newer one */
    cubinet_module *module = NULL;
    assert_int_equal(cubinet_module_load(driver, archive, DEMO, 0, NULL, &module), CUBINET_ERROR_NO_IMAGE);
    expect_in(cubinet_error_message(), "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)");
    expect_in(cubinet_error_message(),
              "\n    ptxas application ptx input, line 1; fatal   : Unsupported .version 8.8");
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_trouble_that_no_other_image_would_cure_is_reported(void **state)
{
    (void)state;
    static const struct {
        unsigned int result;
        cubinet_status status;
    } troubles[] = {
        {CBN_CU_OUT_OF_MEMORY, CUBINET_ERROR_DEVICE_MEMORY},
        {CBN_CU_ILLEGAL_ADDRESS, CUBINET_ERROR_CONTEXT_DEAD},
        {CBN_CU_DEINITIALIZED, CUBINET_ERROR_DRIVER},
    };
    for (size_t i = 0; i < COUNT(troubles); i++) {
        cubinet_driver *driver = machine_start("8.6", NULL, NULL);
        cubinet_archive *archive = machine_archive("sm_80 compute_80", 0);
        simdriver_fail("cuKernelGetFunction", 1, troubles[i].result, false);
        cubinet_module *module = NULL;
        assert_int_equal(cubinet_module_load(driver, archive, DEMO, 0, NULL, &module), troubles[i].status);
        assert_int_equal(cubinet_error_driver_result(), troubles[i].result);
        assert_int_equal(simdriver_calls("cuLibraryLoadData"), 1);
        cubinet_archive_close(archive);
        machine_stop(driver);
    }
}

/* Loads for a 9.0 and returns how many functions of kernels the driver was asked for. */
static unsigned int functions_of_loading(const char *images, const char *loaded)
{
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive(images, 0);
    expect_loaded(driver, archive, 0, loaded);
    unsigned int calls = simdriver_calls("cuKernelGetFunction");
    cubinet_archive_close(archive);
    machine_stop(driver);
    return calls;
}

/* What is for this very architecture runs; of anything else a function proves it. */
static void test_proves_what_is_not_sure(void **state)
{
    (void)state;
    assert_int_equal(functions_of_loading("sm_90", "sm_90"), 0);
    assert_int_equal(functions_of_loading("sm_90a", "sm_90a"), 0);
    assert_int_equal(functions_of_loading("compute_80", "compute_80"), 1);
    assert_int_equal(functions_of_loading("sm_90=sm_80 compute_80", "compute_80"), 1);
    setenv("CUDA_FORCE_PTX_JIT", "1", 1);
    assert_int_equal(functions_of_loading("sm_90", "sm_90"), 1);
    setenv("CUDA_FORCE_PTX_JIT", "0", 1);
    assert_int_equal(functions_of_loading("sm_90", "sm_90"), 0);
    unsetenv("CUDA_FORCE_PTX_JIT");
}

/* A driver's call more than these would be one in each load. */
static void test_asks_the_driver_for_no_more_than_it_needs(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_90 compute_80", 0);
    CUcontext context = simdriver_create_context(0);
    CUfunction function = NULL;
    assert_int_equal(cuCtxPushCurrent_v2(context), 0);
    unsigned int before = simdriver_calls(NULL);
    cubinet_module *module = machine_load(driver, archive, 0);
    /* cuCtxGetCurrent, cuCtxGetDevice, cuLibraryLoadData, cuLibraryGetKernel */
    assert_int_equal(simdriver_calls(NULL) - before, 4);
    cubinet_kernel *kernel = machine_kernel(module, "clustered");
    assert_int_equal(simdriver_calls(NULL) - before, 4);
    assert_int_equal(cubinet_kernel_get_function(kernel, &function), CUBINET_OK);
    /* cuCtxGetCurrent, cuThreadExchangeStreamCaptureMode twice, cuKernelGetFunction */
    assert_int_equal(simdriver_calls(NULL) - before, 8);
    assert_int_equal(cubinet_kernel_get_function(kernel, &function), CUBINET_OK);
    assert_int_equal(simdriver_calls(NULL) - before, 8);
    machine_kernel(module, "tile");
    machine_kernel(module, "tile");
    assert_int_equal(simdriver_calls(NULL) - before, 9);
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    CUcontext popped = NULL;
    assert_int_equal(cuCtxPopCurrent_v2(&popped), 0);
    simdriver_destroy_context(context);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

/* What should have run and does not is told when it is first used. */
static void test_reports_what_fails_at_the_first_use(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_90 compute_80", 0);
    cubinet_module *module = machine_load(driver, archive, 0);
    cubinet_kernel *kernel = NULL;
    CUfunction function = NULL;
    simdriver_fail("cuLibraryGetKernel", 1, CBN_CU_NOT_FOUND, false);
    assert_int_not_equal(cubinet_module_find_kernel(module, "tile", &kernel), CUBINET_OK);
    assert_null(kernel);
    expect_in(cubinet_error_message(), "cuLibraryGetKernel of 'tile' failed: CUDA_ERROR_NOT_FOUND (500)");
    simdriver_fail("cuKernelGetFunction", 1, CBN_CU_NO_BINARY_FOR_GPU, false);
    kernel = machine_kernel(module, "tile");
    assert_int_not_equal(cubinet_kernel_get_function(kernel, &function), CUBINET_OK);
    assert_null(function);
    expect_in(cubinet_error_message(), "cuKernelGetFunction of 'tile' failed: CUDA_ERROR_NO_BINARY_FOR_GPU");
    assert_int_equal(cubinet_kernel_get_function(kernel, &function), CUBINET_OK);
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_follows_the_policy(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_90 compute_80", 0);
    const cubinet_policy policy = {.size = sizeof(policy), .flags = CUBINET_POLICY_FORCE_PTX};
    const cubinet_load_options options = {.size = sizeof(options), .policy = &policy};
    cubinet_module *module = NULL;
    char name[CUBINET_TARGET_NAME_SIZE];
    assert_int_equal(cubinet_module_load(driver, archive, DEMO, 0, &options, &module), CUBINET_OK);
    assert_string_equal(machine_loaded(module, name), "compute_80");
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_lives_in_the_current_context_of_its_device(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0,7.5", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_75 sm_90", 0);
    CUcontext context = simdriver_create_context(0);
    assert_int_equal(cuCtxPushCurrent_v2(context), 0);
    cubinet_module *own = machine_load(driver, archive, 0);
    assert_ptr_equal(cubinet_module_get_context(own), context);
    assert_int_equal(simdriver_retained_contexts(), 0);
    machine_expect_current(context);
    /* Of another device: its primary context, and the thread keeps its own. */
    cubinet_module *other = machine_load(driver, archive, 1);
    assert_ptr_not_equal(cubinet_module_get_context(other), context);
    assert_int_equal(simdriver_retained_contexts(), 1);
    machine_expect_current(context);
    assert_int_equal(cubinet_module_unload(other), CUBINET_OK);
    assert_int_equal(cubinet_module_unload(own), CUBINET_OK);
    machine_expect_current(context);
    CUcontext popped = NULL;
    assert_int_equal(cuCtxPopCurrent_v2(&popped), 0);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_finds_kernels(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_90", 0);
    cubinet_module *module = machine_load(driver, archive, 0);
    cubinet_archive_close(archive); /* the module keeps what it needs */
    cubinet_kernel *kernel = machine_kernel(module, "scale< float >");
    assert_ptr_equal(kernel, machine_kernel(module, "scale"));
    assert_ptr_not_equal(kernel, machine_kernel(module, "tile"));
    cubinet_kernel_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_kernel_get_info(kernel, &info), CUBINET_OK);
    assert_string_equal(info.name, "scale");
    assert_string_equal(info.expression, "scale<float>");
    cubinet_kernel_resources resources = {.size = sizeof(resources)};
    assert_int_equal(cubinet_kernel_get_resources(kernel, &resources), CUBINET_OK);
    assert_int_equal(resources.param_count, 3);
    assert_int_equal(resources.params[1].size, 4);
    assert_int_equal(resources.params[2].offset, 12);
    cubinet_kernel *before = kernel;
    assert_int_equal(cubinet_module_find_kernel(module, "scael", &kernel), CUBINET_ERROR_NOT_FOUND);
    expect_in(cubinet_error_message(), "scale");
    assert_ptr_equal(kernel, before);
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    machine_stop(driver);
}

static void test_a_kernel_can_be_missing_from_an_image(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("8.0,9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_80 sm_90", 0);
    cubinet_module *old = machine_load(driver, archive, 0);
    cubinet_module *new = machine_load(driver, archive, 1);
    cubinet_kernel *kernel = machine_kernel(new, "clustered");
    assert_int_equal(cubinet_module_find_kernel(old, "clustered", &kernel), CUBINET_ERROR_NOT_FOUND);
    expect_in(cubinet_error_message(), "sm_80");
    assert_int_equal(cubinet_module_unload(old), CUBINET_OK);
    assert_int_equal(cubinet_module_unload(new), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_an_expression_means_the_kernel_of_the_image(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("8.0,9.0", NULL, NULL);
    cubinet_archive *archive = machine_versions_archive();
    static const char *const names[] = {"_Z4sortIN5sm_754pairEEvv", "_Z4sortIN5sm_904pairEEvv"};
    for (int device = 0; device < 2; device++) {
        cubinet_module *module = machine_load(driver, archive, device);
        cubinet_kernel_info info = {.size = sizeof(info)};
        assert_ptr_equal(machine_kernel(module, "sort"), machine_kernel(module, "sort<pair>"));
        assert_int_equal(cubinet_kernel_get_info(machine_kernel(module, "sort< pair >"), &info), CUBINET_OK);
        assert_string_equal(info.name, names[device]);
        assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    }
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_a_kernel_has_one_function(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_90", 0);
    cubinet_module *module = machine_load(driver, archive, 0);
    cubinet_kernel *kernel = machine_kernel(module, "tile");
    CUkernel handle = NULL;
    assert_int_equal(cuLibraryGetKernel(&handle, cubinet_module_get_library(module), "tile"), 0);
    assert_ptr_equal(cubinet_kernel_get_handle(kernel), handle);
    CUfunction first = NULL;
    CUfunction second = NULL;
    assert_int_equal(cubinet_kernel_get_function(kernel, &first), CUBINET_OK);
    unsigned int calls = simdriver_calls("cuKernelGetFunction");
    assert_int_equal(cubinet_kernel_get_function(kernel, &second), CUBINET_OK);
    assert_non_null(first);
    assert_ptr_equal(first, second);
    assert_int_equal(simdriver_calls("cuKernelGetFunction"), calls);
    machine_expect_current(NULL);
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_finds_globals_on_each_device(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0,9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_90", 0);
    CUdeviceptr addresses[2] = {0, 0};
    for (int device = 0; device < 2; device++) {
        cubinet_module *module = machine_load(driver, archive, device);
        size_t bytes = 0;
        assert_int_equal(cubinet_module_find_global(module, "&table", &addresses[device], &bytes),
                         CUBINET_OK);
        assert_int_equal(bytes, 256);
        assert_int_equal(cubinet_module_find_global(module, "table", NULL, NULL), CUBINET_OK);
        assert_int_equal(cubinet_module_find_global(module, "tabel", NULL, NULL), CUBINET_ERROR_NOT_FOUND);
        expect_in(cubinet_error_message(), "table");
        machine_expect_current(NULL);
        assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    }
    assert_true(addresses[0] != 0 && addresses[0] != addresses[1]);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_finds_managed_variables(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = machine_wide_archive(1);
    cubinet_module *module = NULL;
    CUdeviceptr address = 0;
    size_t bytes = 0;
    assert_int_equal(cubinet_module_load(driver, archive, "wide", 0, NULL, &module), CUBINET_OK);
    assert_int_equal(cubinet_module_find_global(module, "shared_count", &address, &bytes), CUBINET_OK);
    assert_int_equal(bytes, 4);
    assert_true(address != 0);
    assert_int_equal(simdriver_calls("cuLibraryGetManaged"), 1);
    assert_int_equal(simdriver_calls("cuLibraryGetGlobal"), 0);
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_unloading_reports_and_still_unloads(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_90", 0);
    cubinet_module *module = machine_load(driver, archive, 0);
    simdriver_fail("cuLibraryUnload", 1, CBN_CU_ILLEGAL_ADDRESS, false);
    assert_int_equal(cubinet_module_unload(module), CUBINET_ERROR_CONTEXT_DEAD);
    expect_in(cubinet_error_message(), "CUDA_ERROR_ILLEGAL_ADDRESS (700)");
    assert_int_equal(cubinet_module_unload(NULL), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_checks_its_arguments(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_90", 0);
    cubinet_module *module = NULL;
    assert_int_equal(cubinet_module_load(NULL, archive, DEMO, 0, NULL, &module),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_module_load(driver, NULL, DEMO, 0, NULL, &module),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_module_load(driver, archive, NULL, 0, NULL, &module),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_module_load(driver, archive, DEMO, 0, NULL, NULL),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_module_load(driver, archive, DEMO, 1, NULL, &module), CUBINET_ERROR_NO_DEVICE);
    assert_null(module);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_device_gets_its_image),
        cmocka_unit_test(test_loads_from_a_catalog),
        cmocka_unit_test(test_loads_for_several_devices_at_once),
        cmocka_unit_test(test_compressed_images_load),
        cmocka_unit_test(test_takes_the_next_image_when_the_driver_refuses_one),
        cmocka_unit_test(test_finds_out_that_an_image_is_for_another_gpu),
        cmocka_unit_test(test_loading_leaves_the_last_error_alone),
        cmocka_unit_test(test_lists_every_image_when_none_runs),
        cmocka_unit_test(test_logs_a_refusal_also_when_the_load_fails_after_it),
        cmocka_unit_test(test_quotes_the_jit_log),
        cmocka_unit_test(test_trouble_that_no_other_image_would_cure_is_reported),
        cmocka_unit_test(test_proves_what_is_not_sure),
        cmocka_unit_test(test_asks_the_driver_for_no_more_than_it_needs),
        cmocka_unit_test(test_reports_what_fails_at_the_first_use),
        cmocka_unit_test(test_follows_the_policy),
        cmocka_unit_test(test_lives_in_the_current_context_of_its_device),
        cmocka_unit_test(test_finds_kernels),
        cmocka_unit_test(test_a_kernel_can_be_missing_from_an_image),
        cmocka_unit_test(test_an_expression_means_the_kernel_of_the_image),
        cmocka_unit_test(test_a_kernel_has_one_function),
        cmocka_unit_test(test_finds_globals_on_each_device),
        cmocka_unit_test(test_finds_managed_variables),
        cmocka_unit_test(test_unloading_reports_and_still_unloads),
        cmocka_unit_test(test_checks_its_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
