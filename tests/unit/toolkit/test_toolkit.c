/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "toolkit/toolkit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const variables[] = {"CUBINET_TOOLKIT", "CUDAToolkit_ROOT", "CUDA_HOME", "CUDA_PATH",
                                        "VIRTUAL_ENV",     "CONDA_PREFIX",     "PYTHONHOME"};

static int enter_folder(void **state)
{
    char *folder = strdup("/tmp/test_toolkit.XXXXXX");
    *state = folder;
    for (size_t i = 0; i < COUNT(variables); i++) {
        unsetenv(variables[i]);
    }
    return !folder || !mkdtemp(folder) || chdir(folder);
}

static int remove_folder(void **state)
{
    char command[256];
    snprintf(command, sizeof(command), "rm -rf '%s'", (const char *)*state);
    free(*state);
    return system(command);
}

/* Makes empty files with their folders. */
static void put(const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char command[512];
        snprintf(command, sizeof(command), "mkdir -p \"$(dirname '%s')\" && : > '%s'", paths[i], paths[i]);
        assert_int_equal(system(command), 0);
    }
}

#define PUT(...)                                                                                             \
    do {                                                                                                     \
        static const char *const paths[] = {__VA_ARGS__};                                                    \
        put(paths, COUNT(paths));                                                                            \
    } while (0)

/* Finds a toolkit under `root` and compares its paths; includes are separated by spaces. */
static void check(const char *root, const char *nvrtc, const char *nvjitlink, const char *includes)
{
    struct toolkit toolkit;
    if (toolkit_find(root, NULL, &toolkit) != CUBINET_OK) {
        fail_msg("%s", cubinet_error_message());
    }
    assert_string_equal(toolkit.nvrtc, nvrtc);
    if (nvjitlink) {
        assert_non_null(toolkit.nvjitlink);
        assert_string_equal(toolkit.nvjitlink, nvjitlink);
    } else {
        assert_null(toolkit.nvjitlink);
    }
    char list[1024] = "";
    for (size_t i = 0; i < toolkit.include_count; i++) {
        snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i ? " " : "", toolkit.includes[i]);
    }
    assert_string_equal(list, includes);
    toolkit_free(&toolkit);
}

static void finds_a_toolkit_folder(void **state)
{
    (void)state;
    PUT("c/lib64/libnvrtc.so.12", "c/lib64/libnvrtc.so.13", "c/lib64/libnvrtc.so.13.0.88",
        "c/lib64/libnvrtc-builtins.so.13.0", "c/lib64/libnvJitLink.so.12", "c/lib64/libnvJitLink.so.13",
        "c/include/cuda_runtime.h", "c/include/cccl/cub/cub.cuh");
    check("c", "c/lib64/libnvrtc.so.13", "c/lib64/libnvJitLink.so.13", "c/include/cccl c/include");
}

static void finds_what_lies_under_targets(void **state)
{
    (void)state;
    PUT("env/targets/x86_64-linux/include/cuda.h", "env/targets/sbsa-linux/include/cuda.h",
        "env/lib/libnvrtc.so.12", "env/include/zlib.h");
#if defined(__aarch64__)
    check("env", "env/lib/libnvrtc.so.12", NULL, "env/targets/sbsa-linux/include");
#else
    check("env", "env/lib/libnvrtc.so.12", NULL, "env/targets/x86_64-linux/include");
#endif
}

static void finds_python_packages(void **state)
{
    (void)state;
    PUT("v/lib/python3.9/site-packages/nvidia/x",
        "v/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13",
        "v/lib/python3.11/site-packages/nvidia/cu13/lib/libnvJitLink.so.13",
        "v/lib/python3.11/site-packages/nvidia/cu13/include/cuda_runtime.h");
#define CU13 "v/lib/python3.11/site-packages/nvidia/cu13"
    check("v", CU13 "/lib/libnvrtc.so.13", CU13 "/lib/libnvJitLink.so.13", CU13 "/include");
    check("v/lib/python3.11/site-packages", CU13 "/lib/libnvrtc.so.13", CU13 "/lib/libnvJitLink.so.13",
          CU13 "/include");
    check("v/lib/python3.11/site-packages/nvidia", CU13 "/lib/libnvrtc.so.13", CU13 "/lib/libnvJitLink.so.13",
          CU13 "/include");
    check(CU13, CU13 "/lib/libnvrtc.so.13", CU13 "/lib/libnvJitLink.so.13", CU13 "/include");

    PUT("w/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "w/nvidia/nvjitlink/lib/libnvJitLink.so.12",
        "w/nvidia/cuda_runtime/include/cuda_runtime.h", "w/nvidia/cuda_cccl/include/cuda/std/array",
        "w/nvidia/cuda_nvrtc/include/nvrtc.h", "w/nvidia/curand/include/curand_kernel.h");
    check("w", "w/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "w/nvidia/nvjitlink/lib/libnvJitLink.so.12",
          "w/nvidia/cuda_runtime/include w/nvidia/cuda_cccl/include w/nvidia/curand/include");
}

static void check_device_runtime(const char *root, const char *expected)
{
    struct toolkit toolkit;
    assert_int_equal(toolkit_find(root, NULL, &toolkit), CUBINET_OK);
    if (expected) {
        assert_non_null(toolkit.device_runtime);
        assert_string_equal(toolkit.device_runtime, expected);
    } else {
        assert_null(toolkit.device_runtime);
    }
    toolkit_free(&toolkit);
}

static void finds_the_device_runtime(void **state)
{
    (void)state;
    PUT("c/lib64/libnvrtc.so.13", "c/lib64/libcudadevrt.a", "n/lib64/libnvrtc.so.13",
        "w/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "w/nvidia/cuda_runtime/lib/libcudadevrt.a",
        "p/nvidia/cu13/lib/libnvrtc.so.13", "p/nvidia/cu13/lib/libcudadevrt.a");
    check_device_runtime("c", "c/lib64/libcudadevrt.a");
    check_device_runtime("n", NULL);
    check_device_runtime("w", "w/nvidia/cuda_runtime/lib/libcudadevrt.a");
    check_device_runtime("p", "p/nvidia/cu13/lib/libcudadevrt.a");
}

/* Also where there is a /usr/local/cuda: an environment that was activated was chosen. */
static void takes_the_activated_environment(void **state)
{
    (void)state;
    PUT("venv/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "conda/lib/libnvrtc.so.12");
    setenv("CONDA_PREFIX", "conda", 1);
    check(NULL, "conda/lib/libnvrtc.so.12", NULL, "");
    setenv("VIRTUAL_ENV", "venv", 1);
    check(NULL, "venv/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", NULL, "");
}

static void takes_the_first_root_that_is_given(void **state)
{
    (void)state;
    PUT("a/lib/libnvrtc.so.12", "b/lib/libnvrtc.so.12");
    setenv("CUDA_PATH", "b", 1);
    check(NULL, "b/lib/libnvrtc.so.12", NULL, "");
    setenv("CUDA_HOME", "", 1);
    check(NULL, "b/lib/libnvrtc.so.12", NULL, "");
    setenv("CUDA_HOME", "a", 1);
    check(NULL, "a/lib/libnvrtc.so.12", NULL, "");
    check("b", "b/lib/libnvrtc.so.12", NULL, "");
}

static void never_takes_another_than_the_one_that_is_given(void **state)
{
    (void)state;
    struct toolkit toolkit;
    PUT("a/lib/libnvrtc.so.12", "empty/lib/libcudart.so.12");
    setenv("CUDA_PATH", "a", 1);
    setenv("CUDAToolkit_ROOT", "empty", 1);
    assert_int_equal(toolkit_find(NULL, NULL, &toolkit), CUBINET_ERROR_TOOLKIT);
    assert_non_null(
        strstr(cubinet_error_message(), "no toolkit at empty, which CUDAToolkit_ROOT names: libnvrtc.so.*"));
    assert_int_equal(toolkit_find("nowhere", NULL, &toolkit), CUBINET_ERROR_TOOLKIT);
    assert_string_equal(cubinet_error_message(),
                        "no toolkit at nowhere, which --toolkit names: the folder does not exist");
}

static void knows_its_headers(void **state)
{
    (void)state;
    char *includes[] = {"/cuda/include"};
    const struct toolkit toolkit = {.includes = includes, .include_count = 1};
    assert_true(toolkit_has_header(&toolkit, "/cuda/include/a.h"));
    assert_false(toolkit_has_header(&toolkit, "/cuda/includes/a.h"));
    assert_false(toolkit_has_header(&toolkit, "/cuda/include"));
}

/* Of a Conda environment's folder nothing tells CUDA's headers from others. */
static void knows_which_folders_others_use(void **state)
{
    (void)state;
    struct toolkit toolkit;
    PUT("env/lib/libnvrtc.so.12", "env/include/cuda.h", "env/conda-meta/history", "own/cuda/vector");
    assert_int_equal(toolkit_find("env", NULL, &toolkit), CUBINET_OK);
    assert_int_equal(toolkit_add_headers(&toolkit, "own/cuda", true), CUBINET_OK);
    for (int i = 0; i < 2; i++) { /* the second time as it was found the first time */
        assert_true(toolkit_has_header(&toolkit, "own/cuda/vector"));
        assert_false(toolkit_has_header(&toolkit, "env/include/cuda.h"));
    }
    toolkit_free(&toolkit);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(finds_a_toolkit_folder),
        TEST(finds_what_lies_under_targets),
        TEST(finds_python_packages),
        TEST(finds_the_device_runtime),
        TEST(takes_the_activated_environment),
        TEST(takes_the_first_root_that_is_given),
        TEST(never_takes_another_than_the_one_that_is_given),
        TEST(knows_its_headers),
        TEST(knows_which_folders_others_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
