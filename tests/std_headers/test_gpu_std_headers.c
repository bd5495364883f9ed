/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the headers for device code, run on a GPU, with the host's own standard library. */
#include "compare.h"
#include "gpu_test.h"

#include <cubinet/launch.h>

#include <stdio.h>
#include <stdlib.h>

struct run {
    struct gpu_calls calls;
    cubinet_kernel *kernel;
    CUdeviceptr values;
    CUdeviceptr count;
};

static unsigned int run_check(struct run *run, int check)
{
    static double values[CHECK_MAX_VALUES];
    unsigned int count = 0;
    const cubinet_launch_config config = {.size = sizeof(config), .grid = {1}, .block = {1}};
    const cubinet_arg args[] = {CUBINET_ARG(check), CUBINET_ARG(run->values), CUBINET_ARG(run->count)};
    GPU_OK(cubinet_kernel_launch(run->kernel, &config, args, 3));
    GPU_DRIVER(run->calls.cuStreamSynchronize(NULL));
    GPU_DRIVER(run->calls.cuMemcpyDtoH(&count, run->count, sizeof(count)));
    GPU_DRIVER(run->calls.cuMemcpyDtoH(values, run->values, sizeof(values)));
    return compare_check(check, values, count);
}

int main(int argc, char **argv)
{
    struct run run = {0};
    cubinet_archive *archive = NULL;
    cubinet_module *module = NULL;
    CUcontext context = NULL;
    unsigned int wrong = 0;
    cubinet_driver *driver = gpu_start(&run.calls);
    GPU_TRUE(argc == 2);
    GPU_OK(cubinet_archive_open(argv[1], NULL, &archive));
    GPU_OK(cubinet_module_load(driver, archive, "kernels", 0, NULL, &module));
    GPU_OK(cubinet_module_find_kernel(module, "check", &run.kernel));
    GPU_DRIVER(run.calls.cuCtxPushCurrent(cubinet_module_get_context(module)));
    GPU_DRIVER(run.calls.cuMemAlloc(&run.values, CHECK_MAX_VALUES * sizeof(double)));
    GPU_DRIVER(run.calls.cuMemAlloc(&run.count, sizeof(unsigned int)));
    for (int check = 0; check < CHECK_COUNT; check++) {
        wrong += run_check(&run, check);
    }
    GPU_DRIVER(run.calls.cuMemFree(run.values));
    GPU_DRIVER(run.calls.cuMemFree(run.count));
    GPU_DRIVER(run.calls.cuCtxPopCurrent(&context));
    GPU_OK(cubinet_module_unload(module));
    cubinet_archive_close(archive);
    cubinet_driver_close(driver);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
