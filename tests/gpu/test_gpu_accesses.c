/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of accesses.cu, in an archive that knows only their machine code: a launch without dynamic shared
 * memory is refused where the kernel uses some, whatever instruction accesses it, and only there. */
#include "gpu_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 128, SHARED_BYTES = 4096 };

/* The driver's own calls; the simulated driver has no others. */
static cbn_cu_result (*push_current)(CUcontext context);
static cbn_cu_result (*synchronize)(void);

static bool has_prefix(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

static cubinet_status launch(const cubinet_kernel *kernel, CUdeviceptr data, uint32_t bytes)
{
    const cubinet_arg args[] = {CUBINET_ARG(data)};
    const cubinet_launch_config config = {
        .size = sizeof(config), .grid = {1}, .block = {THREADS}, .dynamic_shared_bytes = bytes};
    return cubinet_kernel_launch(kernel, &config, args, 1);
}

/* Not for kernels that would use memory that they don't have. */
static void expect_runs(const cubinet_kernel *kernel, CUdeviceptr data, uint32_t bytes)
{
    GPU_OK(launch(kernel, data, bytes));
    GPU_DRIVER(synchronize());
}

static void test_kernel(const cubinet_kernel *kernel, const char *name, CUdeviceptr data)
{
    bool is_dynamic = has_prefix(name, "dynamic_");
    if (is_dynamic) {
        GPU_TRUE(launch(kernel, data, 0) == CUBINET_ERROR_INVALID_ARGUMENT);
        GPU_TRUE(strstr(cubinet_error_message(), "dynamic shared memory"));
    }
    if (!strstr(name, "_tensor_")) { /* those need more than data */
        expect_runs(kernel, data, SHARED_BYTES);
        if (has_prefix(name, "none_")) {
            expect_runs(kernel, data, 0);
        }
    }
    printf("%s: %s\n", name, is_dynamic ? "refused without dynamic shared memory" : "accepted");
}

static void test_kernels(cubinet_archive *archive, cubinet_module *module, CUdeviceptr data)
{
    cubinet_module_info info = {.size = sizeof(info)};
    unsigned tested = 0;
    GPU_OK(cubinet_archive_get_module(archive, 0, &info));
    for (uint32_t i = 0; i < info.kernel_count; i++) {
        cubinet_kernel_info named = {.size = sizeof(named)};
        cubinet_kernel *kernel = NULL;
        GPU_OK(cubinet_archive_get_kernel(archive, 0, i, &named));
        cubinet_status status = cubinet_module_find_kernel(module, named.name, &kernel);
        if (status == CUBINET_ERROR_NOT_FOUND) {
            continue; /* of another architecture */
        }
        GPU_OK(status);
        test_kernel(kernel, named.name, data);
        tested++;
    }
    GPU_TRUE(tested >= 7);
}

static cubinet_driver *open_driver(void)
{
    cubinet_driver *driver = gpu_open_driver();
    GPU_OK(cubinet_driver_get_proc_address(driver, "cuCtxPushCurrent", (void **)&push_current));
    GPU_OK(cubinet_driver_get_proc_address(driver, "cuCtxSynchronize", (void **)&synchronize));
    return driver;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: test_gpu_accesses PACKED\n");
        return 2;
    }
    cubinet_driver *driver = open_driver();
    cubinet_archive *archive = NULL;
    cubinet_module *module = NULL;
    CUdeviceptr data = 0;
    GPU_OK(cubinet_archive_open(argv[1], NULL, &archive));
    GPU_OK(cubinet_module_load(driver, archive, "accesses", 0, NULL, &module));
    GPU_DRIVER(push_current(cubinet_module_get_context(module)));
    GPU_OK(cubinet_module_find_global(module, "values", &data, NULL));
    test_kernels(archive, module, data);
    GPU_OK(cubinet_module_unload(module));
    cubinet_archive_close(archive);
    cubinet_driver_close(driver);
    return 0;
}
