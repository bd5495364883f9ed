/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated driver itself: that it answers as the real one was seen to (simdriver.h), counts, and notices
 * what a correct program never does. */
#include "machine.h"
#include "simcuda.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The raw bytes of an image of an archive with only that one, NUL-terminated; the caller frees them. */
static char *image_bytes(const char *spec)
{
    cubinet_archive *archive = machine_archive(spec, 0);
    cubinet_image_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_archive_get_image(archive, 0, 0, &info), CUBINET_OK);
    char *bytes = calloc(1, (size_t)info.raw_size + 1);
    assert_non_null(bytes);
    assert_int_equal(cubinet_archive_read_image(archive, 0, 0, bytes, (size_t)info.raw_size), CUBINET_OK);
    cubinet_archive_close(archive);
    return bytes;
}

static void start(const char *devices)
{
    simdriver_reset();
    assert_true(simdriver_set_devices(devices));
    assert_int_equal(cuInit(0), CBN_CU_SUCCESS);
}

static CUlibrary load(const char *spec, char *log, size_t log_size)
{
    unsigned int options[] = {CBN_CU_JIT_ERROR_LOG_BUFFER, CBN_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)log_size};
    char *bytes = image_bytes(spec);
    CUlibrary library = NULL;
    memset(log, 0, log_size);
    assert_int_equal(cuLibraryLoadData(&library, bytes, options, values, 2, NULL, NULL, 0), CBN_CU_SUCCESS);
    free(bytes);
    return library;
}

static void push_primary(int device)
{
    CUcontext context = NULL;
    assert_int_equal(cuDevicePrimaryCtxRetain(&context, device), CBN_CU_SUCCESS);
    assert_int_equal(cuCtxPushCurrent_v2(context), CBN_CU_SUCCESS);
}

static void pop_primary(int device)
{
    CUcontext context = NULL;
    assert_int_equal(cuCtxPopCurrent_v2(&context), CBN_CU_SUCCESS);
    assert_int_equal(cuDevicePrimaryCtxRelease_v2(device), CBN_CU_SUCCESS);
}

static void test_answers_to_images_as_the_driver_does(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        const char *device;
        int version;
        cbn_cu_result kernel; /* of cuLibraryGetKernel() */
        const char *log;
    } cases[] = {
        {"sm_90", "9.0", 13000, CBN_CU_SUCCESS, ""},
        {"sm_90a", "9.0", 13000, CBN_CU_SUCCESS, ""},
        {"sm_80", "8.9", 13000, CBN_CU_SUCCESS, ""},
        {"sm_80", "9.0", 13000, CBN_CU_NO_BINARY_FOR_GPU, ""},
        {"sm_90", "8.0", 13000, CBN_CU_NO_BINARY_FOR_GPU, ""},
        {"sm_80", "8.7t", 13000, CBN_CU_NO_BINARY_FOR_GPU, ""},
        {"sm_87", "8.9", 13000, CBN_CU_NO_BINARY_FOR_GPU, ""},
        {"sm_80", "8.8", 13000, CBN_CU_NO_BINARY_FOR_GPU, ""},
        {"sm_90a", "10.0", 13000, CBN_CU_NO_BINARY_FOR_GPU, ""},
        {"sm_120", "12.1", 13000, CBN_CU_SUCCESS, ""},
        {"sm_90", "9.0", 12090, CBN_CU_NO_BINARY_FOR_GPU, ""}, /* the fixtures are of CUDA 13 */
        {"compute_75", "12.0", 13000, CBN_CU_SUCCESS, ""},
        {"compute_90@8.0", "8.0", 13000, CBN_CU_INVALID_PTX, "SM version specified by .target is higher"},
        {"compute_90a@8.0", "9.0", 13000, CBN_CU_SUCCESS, ""},
        {"compute_90a@8.0", "10.0", 13000, CBN_CU_INVALID_PTX, "ptxas fatal"},
        {"compute_80@8.8", "9.0", 12080, CBN_CU_UNSUPPORTED_PTX_VERSION, "Unsupported .version 8.8; current"},
        {"compute_80@8.7", "9.0", 12080, CBN_CU_SUCCESS, ""},
        {"lto_80", "9.0", 13000, CBN_CU_INVALID_IMAGE, "is not recognized"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char log[512];
        start(cases[i].device);
        simdriver_set_version(cases[i].version);
        CUlibrary library = load(cases[i].spec, log, sizeof(log));
        CUkernel kernel = NULL;
        unsigned int count = 99;
        cbn_cu_result result = cuLibraryGetKernel(&kernel, library, "scale");
        if (result != cases[i].kernel || !strstr(log, cases[i].log)) {
            print_error("%s on %s: %u, log: %s\n", cases[i].spec, cases[i].device, result, log);
            fail();
        }
        assert_int_equal(cuLibraryGetKernelCount(&count, library), CBN_CU_SUCCESS);
        assert_true((count > 0) == (result == CBN_CU_SUCCESS));
        result = cuLibraryGetKernel(&kernel, library, "no such kernel");
        assert_int_equal(result, cases[i].kernel == CBN_CU_SUCCESS ? CBN_CU_NOT_FOUND : cases[i].kernel);
        assert_int_equal(cuLibraryUnload(library), CBN_CU_SUCCESS);
        assert_int_equal(simdriver_misuses(), 0);
    }
}

static void test_refuses_a_damaged_cubin_at_once(void **state)
{
    (void)state;
    start("9.0");
    char *bytes = image_bytes("sm_90");
    memset(bytes + 64, 0, 256);
    memset(bytes + 40, 0xff, 8); /* the section headers' place */
    CUlibrary library = NULL;
    assert_int_equal(cuLibraryLoadData(&library, bytes, NULL, NULL, 0, NULL, NULL, 0), CBN_CU_INVALID_IMAGE);
    assert_null(library);
    assert_int_equal(simdriver_live_libraries(), 0);
    free(bytes);
}

static void test_functions_belong_to_contexts(void **state)
{
    (void)state;
    char log[64];
    start("9.0,8.0");
    CUlibrary library = load("sm_90", log, sizeof(log));
    CUkernel kernel = NULL;
    CUfunction first = NULL;
    CUfunction second = NULL;
    CUcontext context = NULL;
    assert_int_equal(cuLibraryGetKernel(&kernel, library, "tile"), CBN_CU_SUCCESS);
    assert_int_equal(cuKernelGetFunction(&first, kernel), CBN_CU_INVALID_CONTEXT);
    push_primary(1); /* a device that the code is not for */
    assert_int_equal(cuKernelGetFunction(&first, kernel), CBN_CU_NO_BINARY_FOR_GPU);
    pop_primary(1);
    push_primary(0);
    assert_int_equal(cuKernelGetFunction(&first, kernel), CBN_CU_SUCCESS);
    assert_int_equal(cuKernelGetFunction(&second, kernel), CBN_CU_SUCCESS);
    assert_ptr_equal(first, second);
    assert_int_equal(cuCtxPushCurrent_v2(simdriver_create_context(0)), CBN_CU_SUCCESS);
    assert_int_equal(cuKernelGetFunction(&second, kernel), CBN_CU_SUCCESS);
    assert_ptr_not_equal(first, second);
    assert_int_equal(cuCtxPopCurrent_v2(&context), CBN_CU_SUCCESS);
    assert_int_equal(simdriver_misuses(), 0);
    pop_primary(0);
    assert_int_equal(cuLibraryUnload(library), CBN_CU_SUCCESS);
}

static void test_notices_misuse(void **state)
{
    (void)state;
    char log[64];
    start("9.0");
    CUlibrary library = load("sm_90", log, sizeof(log));
    CUkernel kernel = NULL;
    CUfunction function = NULL;
    CUdeviceptr data = 0;
    void *params[] = {&data};
    const cbn_cu_launch_config config = {1, 1, 1, 1, 1, 1, 0, NULL, NULL, 0};
    assert_int_equal(cuLibraryGetKernel(&kernel, library, "tile"), CBN_CU_SUCCESS);
    push_primary(0);
    assert_int_equal(cuKernelGetFunction(&function, kernel), CBN_CU_SUCCESS);
    assert_int_equal(cuLaunchKernelEx(&config, function, params, NULL), CBN_CU_SUCCESS);
    assert_int_equal(simdriver_misuses(), 0);
    CUcontext other = simdriver_create_context(0);
    CUcontext popped = NULL;
    assert_int_equal(cuCtxPushCurrent_v2(other), CBN_CU_SUCCESS);
    assert_int_equal(cuLaunchKernelEx(&config, function, params, NULL), CBN_CU_INVALID_HANDLE);
    assert_int_equal(simdriver_misuses(), 1);
    simdriver_destroy_context(other);
    assert_int_equal(cuLaunchKernelEx(&config, function, params, NULL), CBN_CU_CONTEXT_IS_DESTROYED);
    assert_int_equal(simdriver_misuses(), 2);
    assert_int_equal(cuCtxPopCurrent_v2(&popped), CBN_CU_SUCCESS);
    assert_int_equal(cuLibraryUnload(library), CBN_CU_SUCCESS);
    assert_int_equal(cuLaunchKernelEx(&config, function, params, NULL), CBN_CU_INVALID_HANDLE);
    assert_int_equal(cuKernelGetFunction(&function, kernel), CBN_CU_INVALID_HANDLE);
    assert_int_equal(cuLibraryUnload(library), CBN_CU_INVALID_HANDLE);
    assert_int_equal(simdriver_misuses(), 5);
    pop_primary(0);
    assert_int_equal(cuDevicePrimaryCtxRelease_v2(0), CBN_CU_INVALID_CONTEXT);
    assert_int_equal(simdriver_misuses(), 6);
    assert_non_null(strstr(simdriver_last_misuse(), "once too often"));
}

static void test_checks_launches_as_the_driver_does(void **state)
{
    (void)state;
    char log[64];
    start("9.0");
    CUlibrary library = load("sm_90", log, sizeof(log));
    CUkernel tile = NULL;
    CUkernel clustered = NULL;
    CUfunction function = NULL;
    CUdeviceptr data = 0;
    void *params[] = {&data};
    assert_int_equal(cuLibraryGetKernel(&tile, library, "tile"), CBN_CU_SUCCESS);
    assert_int_equal(cuLibraryGetKernel(&clustered, library, "clustered"), CBN_CU_SUCCESS);
    push_primary(0);
    assert_int_equal(cuKernelGetFunction(&function, tile), CBN_CU_SUCCESS);
    cbn_cu_launch_config config = {16, 1, 1, 32, 1, 1, 100000, NULL, NULL, 0};
    assert_int_equal(cuLaunchKernelEx(&config, function, params, NULL), CBN_CU_INVALID_VALUE);
    assert_int_equal(cuKernelSetAttribute(CBN_CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, 300000, tile, 0),
                     CBN_CU_INVALID_VALUE);
    assert_int_equal(cuKernelSetAttribute(CBN_CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000, tile, 0),
                     CBN_CU_SUCCESS);
    assert_int_equal(cuLaunchKernelEx(&config, function, params, NULL), CBN_CU_SUCCESS);
    config.dynamic_shared_bytes = 0;
    config.block_x = 257; /* more than its launch bounds */
    assert_int_equal(cuLaunchKernelEx(&config, function, params, NULL), CBN_CU_INVALID_VALUE);
    config.block_x = 0;
    assert_int_equal(cuLaunchKernelEx(&config, function, params, NULL), CBN_CU_INVALID_VALUE);
    config.block_x = 32;
    cbn_cu_launch_attribute cluster = {.id = CBN_CU_LAUNCH_CLUSTER_DIMENSION};
    cluster.value.cluster.x = 16;
    cluster.value.cluster.y = cluster.value.cluster.z = 1;
    config.attributes = &cluster;
    config.attribute_count = 1;
    assert_int_equal(cuLaunchKernelEx(&config, function, params, NULL), CBN_CU_INVALID_CLUSTER_SIZE);
    assert_int_equal(cuKernelSetAttribute(CBN_CU_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1, tile, 0),
                     CBN_CU_SUCCESS);
    assert_int_equal(cuLaunchKernelEx(&config, function, params, NULL), CBN_CU_SUCCESS);
    assert_int_equal(cuKernelGetFunction(&function, clustered), CBN_CU_SUCCESS);
    assert_int_equal(cuLaunchKernelEx(&config, function, params, NULL), CBN_CU_INVALID_CLUSTER_SIZE);
    cluster.value.cluster.x = 2;
    assert_int_equal(cuLaunchKernelEx(&config, function, params, NULL), CBN_CU_SUCCESS);
    config.attribute_count = 0;
    config.grid_x = 3;
    assert_int_equal(cuLaunchKernelEx(&config, function, params, NULL), CBN_CU_INVALID_CLUSTER_SIZE);
    pop_primary(0);
    assert_int_equal(cuLibraryUnload(library), CBN_CU_SUCCESS);
    assert_int_equal(simdriver_misuses(), 0);
}

static void test_plays_scripts_and_counts(void **state)
{
    (void)state;
    int count = 0;
    start("9.0,8.0");
    simdriver_fail("cuDeviceGetCount", 2, CBN_CU_UNKNOWN, false);
    assert_int_equal(cuDeviceGetCount(&count), CBN_CU_SUCCESS);
    assert_int_equal(count, 2);
    assert_int_equal(cuDeviceGetCount(&count), CBN_CU_UNKNOWN);
    assert_int_equal(cuDeviceGetCount(&count), CBN_CU_SUCCESS);
    assert_int_equal(simdriver_calls("cuDeviceGetCount"), 3);
    assert_int_equal(simdriver_calls(NULL), 4);
    simdriver_fail_none();
    simdriver_fail(NULL, 2, CBN_CU_OUT_OF_MEMORY, true);
    assert_int_equal(cuDeviceGetCount(&count), CBN_CU_SUCCESS);
    assert_int_equal(cuDeviceGetCount(&count), CBN_CU_OUT_OF_MEMORY);
    assert_int_equal(cuDriverGetVersion(&count), CBN_CU_OUT_OF_MEMORY);
    simdriver_reset();
    assert_int_equal(simdriver_calls(NULL), 0);
    assert_int_equal(cuDeviceGetCount(&count), CBN_CU_NOT_INITIALIZED);
}

static void test_reads_lists_of_devices(void **state)
{
    (void)state;
    int value = 0;
    static const char *const wrong[] = {"9", "9.0,", "x", "9.0 8.0", "9.0,,8.0"};
    start("12.1t,7.5");
    assert_int_equal(cuDeviceGetAttribute(&value, CBN_CU_DEVICE_INTEGRATED, 0), CBN_CU_SUCCESS);
    assert_int_equal(value, 1);
    assert_int_equal(cuDeviceGetAttribute(&value, CBN_CU_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 1),
                     CBN_CU_SUCCESS);
    assert_int_equal(value, 64 << 10);
    simdriver_set_attribute(1, CBN_CU_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 1234);
    assert_int_equal(cuDeviceGetAttribute(&value, CBN_CU_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 1),
                     CBN_CU_SUCCESS);
    assert_int_equal(value, 1234);
    assert_int_equal(cuDeviceGetAttribute(&value, CBN_CU_DEVICE_INTEGRATED, 2), CBN_CU_INVALID_DEVICE);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_false(simdriver_set_devices(wrong[i]));
    }
    assert_true(simdriver_set_devices(""));
    assert_int_equal(cuInit(0), CBN_CU_NO_DEVICE);
}

static void test_finds_functions_by_release(void **state)
{
    (void)state;
    void *function = NULL;
    unsigned int status = 99;
    start("9.0");
    assert_int_equal(cuGetProcAddress_v2("cuLibraryGetKernelCount", &function, 12000, 0, &status),
                     CBN_CU_SUCCESS);
    assert_null(function);
    assert_int_equal(status, CBN_CU_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    assert_int_equal(cuGetProcAddress_v2("cuLibraryGetKernelCount", &function, 12040, 0, &status),
                     CBN_CU_SUCCESS);
    assert_non_null(function);
    assert_int_equal(cuGetProcAddress_v2("cuNothing", &function, 12040, 0, &status), CBN_CU_SUCCESS);
    assert_null(function);
    assert_int_equal(status, CBN_CU_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    assert_int_equal(cuGetProcAddress_v2("cuInit", &function, 14000, 0, &status), CBN_CU_INVALID_VALUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers_to_images_as_the_driver_does),
        cmocka_unit_test(test_refuses_a_damaged_cubin_at_once),
        cmocka_unit_test(test_functions_belong_to_contexts),
        cmocka_unit_test(test_notices_misuse),
        cmocka_unit_test(test_checks_launches_as_the_driver_does),
        cmocka_unit_test(test_plays_scripts_and_counts),
        cmocka_unit_test(test_reads_lists_of_devices),
        cmocka_unit_test(test_finds_functions_by_release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
