/* SPDX-License-Identifier: Apache-2.0 */
/* Launches kernels by their launch records: blocks, dynamic shared memory, scratch memory and launch bounds
 * are those that are recorded, and a launch without shared memory that nobody records is refused. */
#include "gpu_test.h"

#include <stdio.h>
#include <string.h>

enum { PROGRAMS = 3000, BLOCKS = 2 * PROGRAMS, NUMBERS = 8, ROWS = 37, COLUMNS = 50, SCALE = 3 };

static struct gpu_calls calls;
static unsigned told[BLOCKS * NUMBERS];

static const cubinet_kernel *get_kernel(cubinet_module *module, const char *name)
{
    cubinet_kernel *kernel = NULL;
    GPU_OK(cubinet_module_find_kernel(module, name, &kernel));
    return kernel;
}

static cubinet_status launch_program(cubinet_module *module, CUdeviceptr out,
                                     const cubinet_launch_config *config)
{
    unsigned scale = SCALE;
    const cubinet_arg args[] = {CUBINET_ARG(out), CUBINET_ARG(scale)};
    return cubinet_kernel_launch(get_kernel(module, "program"), config, args, 2);
}

static void expect_told(unsigned shared)
{
    for (unsigned block = 0; block < BLOCKS; block++) {
        const unsigned expected[NUMBERS] = {BLOCKS, 128, shared, 1, 0, block, SCALE, SCALE};
        for (unsigned i = 0; i < NUMBERS; i++) {
            if (told[block * NUMBERS + i] != expected[i] * (unsigned)SCALE) {
                printf("block %u tells %u as number %u, not %u\n", block, told[block * NUMBERS + i], i,
                       expected[i] * (unsigned)SCALE);
                GPU_TRUE(false);
            }
        }
    }
}

static void test_programs(cubinet_module *module)
{
    CUdeviceptr out = 0;
    CUstream stream = NULL;
    GPU_DRIVER(calls.cuMemAlloc(&out, sizeof(told)));
    GPU_DRIVER(calls.cuStreamCreate(&stream, 1 /* CU_STREAM_NON_BLOCKING */));
    cubinet_launch_config config = {.size = sizeof(config), .grid = {PROGRAMS}, .stream = stream};
    for (int round = 0; round < 20; round++) { /* each with memory of its own, one after the other */
        GPU_OK(launch_program(module, out, &config));
    }
    GPU_DRIVER(calls.cuStreamSynchronize(stream));
    GPU_DRIVER(calls.cuMemcpyDtoH(told, out, sizeof(told)));
    expect_told(65536);
    config.dynamic_shared_bytes = 4096;
    GPU_OK(launch_program(module, out, &config));
    GPU_DRIVER(calls.cuStreamSynchronize(stream));
    GPU_DRIVER(calls.cuMemcpyDtoH(told, out, sizeof(told)));
    expect_told(4096);
    GPU_DRIVER(calls.cuStreamDestroy(stream));
    GPU_DRIVER(calls.cuMemFree(out));
    printf("programs of two blocks, with scratch and shared memory: right\n");
}

static void test_launch_bounds(cubinet_module *module)
{
    static unsigned values[ROWS * COLUMNS];
    CUdeviceptr out = 0;
    GPU_DRIVER(calls.cuMemAlloc(&out, sizeof(values)));
    gpu_copy_in(&calls, out, values, sizeof(values));
    const cubinet_arg args[] = {CUBINET_ARG(out)};
    cubinet_launch_config config = {
        .size = sizeof(config), .extent = {ROWS, COLUMNS}, .threads_per_element = 3};
    GPU_OK(cubinet_kernel_launch(get_kernel(module, "plane"), &config, args, 1));
    GPU_DRIVER(calls.cuMemcpyDtoH(values, out, sizeof(values)));
    for (unsigned i = 0; i < ROWS; i++) {
        for (unsigned j = 0; j < COLUMNS; j++) {
            GPU_TRUE(values[i * COLUMNS + j] == 3 * (1000 * i + j));
        }
    }
    GPU_DRIVER(calls.cuMemFree(out));
    printf("launch bounds of %d by %d: right\n", ROWS, COLUMNS);
}

static void test_refusals(cubinet_module *recorded, cubinet_module *plain)
{
    CUdeviceptr any = 256;
    unsigned scale = SCALE;
    const cubinet_arg args[] = {CUBINET_ARG(any), CUBINET_ARG(scale), CUBINET_ARG(any), CUBINET_ARG(any)};
    const cubinet_launch_config config = {.size = sizeof(config), .grid = {1}, .block = {128}};
    uint32_t blocks = 0;
    GPU_TRUE(cubinet_kernel_launch(get_kernel(plain, "program"), &config, args, 4) ==
             CUBINET_ERROR_INVALID_ARGUMENT);
    GPU_TRUE(strstr(cubinet_error_message(), "the archive does not record how many bytes"));
    GPU_TRUE(cubinet_kernel_get_max_active_blocks(get_kernel(plain, "program"), &config, &blocks) ==
             CUBINET_ERROR_INVALID_ARGUMENT);
    GPU_TRUE(cubinet_kernel_launch(get_kernel(recorded, "program"), &config, args, 3) ==
             CUBINET_ERROR_LAUNCH_ARGUMENTS);
    GPU_OK(cubinet_kernel_get_max_active_blocks(get_kernel(recorded, "program"), &config, &blocks));
    GPU_TRUE(blocks > 0);
    printf("launches without shared memory that nobody records are refused\n");
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: test_gpu_recorded RECORDED PLAIN\n");
        return 2;
    }
    cubinet_driver *driver = gpu_open(&calls);
    cubinet_module *modules[2];
    for (int i = 0; i < 2; i++) {
        cubinet_archive *archive = NULL;
        GPU_OK(cubinet_archive_open(argv[i + 1], NULL, &archive));
        GPU_OK(cubinet_module_load(driver, archive, "recorded", 0, NULL, &modules[i]));
        cubinet_archive_close(archive);
    }
    GPU_DRIVER(calls.cuCtxPushCurrent(cubinet_module_get_context(modules[0])));
    test_programs(modules[0]);
    test_launch_bounds(modules[0]);
    test_refusals(modules[0], modules[1]);
    GPU_OK(cubinet_module_unload(modules[0]));
    GPU_OK(cubinet_module_unload(modules[1]));
    cubinet_driver_close(driver);
    return 0;
}
