/* SPDX-License-Identifier: Apache-2.0 */
/* Runs all kernels of a module that parts_programs.py made, in turn, twice, and prints what they wrote and
 * what is in the variables then: the same whether the module consists of parts or not. */
#include "gpu_test.h"

#include <stdio.h>
#include <string.h>

enum { THREADS = 64, ROUNDS = 2, MOST_BYTES = 4096 };

static struct gpu_calls calls;

static CUdeviceptr device_array(const int *from)
{
    CUdeviceptr address = 0;
    GPU_DRIVER(calls.cuMemAlloc(&address, THREADS * sizeof(int)));
    GPU_DRIVER(calls.cuMemcpyHtoD(address, from, THREADS * sizeof(int)));
    return address;
}

/* A number for what is in memory of the device. */
static unsigned long long digest(CUdeviceptr from, size_t bytes)
{
    unsigned char copy[MOST_BYTES];
    unsigned long long sum = 14695981039346656037u;
    GPU_TRUE(bytes <= sizeof(copy));
    GPU_DRIVER(calls.cuMemcpyDtoH(copy, from, bytes));
    for (size_t i = 0; i < bytes; i++) {
        sum = (sum ^ copy[i]) * 1099511628211u;
    }
    return sum;
}

static void run_kernel(cubinet_module *module, const char *name, CUdeviceptr out, CUdeviceptr in)
{
    cubinet_kernel *kernel = NULL;
    GPU_OK(cubinet_module_find_kernel(module, name, &kernel));
    const cubinet_launch_config config = {.size = sizeof(config),
                                          .grid = {1},
                                          .block = {THREADS},
                                          .dynamic_shared_bytes = THREADS * sizeof(int)};
    const cubinet_arg args[] = {CUBINET_ARG(out), CUBINET_ARG(in)};
    GPU_OK(cubinet_kernel_launch(kernel, &config, args, 2));
    printf("%s: %016llx\n", name, digest(out, THREADS * sizeof(int)));
}

/* Tables of functions hold addresses, which differ. */
static void show_globals(const cubinet_archive *archive, cubinet_module *module, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        cubinet_global_info info = {.size = sizeof(info)};
        CUdeviceptr address = 0;
        size_t bytes = 0;
        GPU_OK(cubinet_archive_get_global(archive, 0, i, &info));
        if (info.name[0] == 't' || strncmp(info.name, "__unnamed_", strlen("__unnamed_")) == 0) {
            continue;
        }
        GPU_OK(cubinet_module_find_global(module, info.name, &address, &bytes));
        printf("%s: %zu bytes, %016llx\n", info.name, bytes, digest(address, bytes));
    }
}

int main(int argc, char **argv)
{
    int values[THREADS];
    GPU_TRUE(argc == 2);
    cubinet_driver *driver = gpu_open(&calls);
    cubinet_archive *archive = NULL;
    cubinet_module *module = NULL;
    cubinet_module_info info = {.size = sizeof(info)};
    GPU_OK(cubinet_archive_open(argv[1], NULL, &archive));
    GPU_OK(cubinet_archive_get_module(archive, 0, &info));
    GPU_OK(cubinet_module_load(driver, archive, info.name, 0, NULL, &module));
    GPU_DRIVER(calls.cuCtxPushCurrent(cubinet_module_get_context(module)));
    for (int i = 0; i < THREADS; i++) {
        values[i] = i * 37 - 100;
    }
    CUdeviceptr in = device_array(values);
    CUdeviceptr out = device_array(values);
    for (uint32_t i = 0; i < ROUNDS * info.kernel_count; i++) {
        cubinet_kernel_info kernel = {.size = sizeof(kernel)};
        GPU_OK(cubinet_archive_get_kernel(archive, 0, i % info.kernel_count, &kernel));
        run_kernel(module, kernel.name, out, in);
    }
    show_globals(archive, module, info.global_count);
    GPU_DRIVER(calls.cuMemFree(in));
    GPU_DRIVER(calls.cuMemFree(out));
    GPU_DRIVER(calls.cuCtxPopCurrent(&(CUcontext){0}));
    GPU_OK(cubinet_module_unload(module));
    cubinet_archive_close(archive);
    cubinet_driver_close(driver);
    return 0;
}
