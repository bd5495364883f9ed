/* SPDX-License-Identifier: Apache-2.0 */
/* Preloads modules of PTX and of LTO-IR, in one thread and in many: every kernel runs, and in the context of
 * the calling thread. Prints how long that takes. */
#include "gpu_test.h"

#include <cubinet/preload.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct gpu_calls calls;

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static int count_calls(void *user, const cubinet_preload_result *result, size_t done, size_t total)
{
    size_t *calls_so_far = user;
    GPU_TRUE(done == ++*calls_so_far && done <= total);
    GPU_TRUE(result->status == CUBINET_OK);
    return 0;
}

static int cancel_at_once(void *user, const cubinet_preload_result *result, size_t done, size_t total)
{
    (void)user, (void)result, (void)done, (void)total;
    return 1;
}

/* The kernel of a module called "…_N" writes N. */
static void expect_number(const cubinet_preload_result *result, CUdeviceptr out)
{
    int found = -1;
    cubinet_kernel *kernel = NULL;
    const cubinet_arg args[] = {CUBINET_ARG(out)};
    const cubinet_launch_config config = {.size = sizeof(config), .grid = {1}, .block = {1}};
    GPU_OK(cubinet_module_find_kernel(result->module, "numbered", &kernel));
    GPU_OK(cubinet_kernel_launch(kernel, &config, args, 1));
    GPU_DRIVER(calls.cuMemcpyDtoH(&found, out, sizeof(found)));
    GPU_TRUE(found == atoi(strrchr(result->name, '_') + 1));
}

static void preload(cubinet_driver *driver, const cubinet_archive *archive, uint32_t threads, CUdeviceptr out)
{
    const cubinet_load_options load = {.size = sizeof(load), .flags = CUBINET_LOAD_NO_CACHE};
    const cubinet_preload_item item = {.archive = archive};
    size_t progress_calls = 0;
    const cubinet_preload_options options = {.size = sizeof(options),
                                             .load = &load,
                                             .threads = threads,
                                             .progress = count_calls,
                                             .progress_user = &progress_calls};
    cubinet_preload *preloaded = NULL;
    CUcontext current = NULL;
    double start = now_ms();
    double sum = 0;
    GPU_OK(cubinet_preload_run(driver, 0, &item, 1, &options, &preloaded));
    double time = now_ms() - start;
    GPU_TRUE(progress_calls == cubinet_archive_get_module_count(archive));
    GPU_DRIVER(calls.cuCtxGetCurrent(&current));
    for (size_t i = 0; i < cubinet_preload_get_result_count(preloaded); i++) {
        cubinet_preload_result result = {.size = sizeof(result)};
        GPU_OK(cubinet_preload_get_result(preloaded, i, &result));
        GPU_TRUE(cubinet_module_get_context(result.module) == current);
        expect_number(&result, out);
        sum += result.milliseconds;
    }
    printf("%2u threads (0: one a processor): %zu modules in %.1f ms, their own times together %.1f ms\n",
           threads, progress_calls, time, sum);
    GPU_OK(cubinet_preload_destroy(preloaded));
}

static void cancel(cubinet_driver *driver, const cubinet_archive *archive)
{
    const cubinet_load_options load = {.size = sizeof(load), .flags = CUBINET_LOAD_NO_CACHE};
    const cubinet_preload_item item = {.archive = archive};
    const cubinet_preload_options options = {
        .size = sizeof(options), .load = &load, .progress = cancel_at_once};
    cubinet_preload *preloaded = NULL;
    GPU_TRUE(cubinet_preload_run(driver, 0, &item, 1, &options, &preloaded) == CUBINET_ERROR_CANCELLED);
    GPU_TRUE(preloaded == NULL);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: test_gpu_preload preload.cubinet\n");
        return 2;
    }
    setenv("CUDA_CACHE_DISABLE", "1", 1); /* or the driver compiles only once */
    cubinet_driver *driver = gpu_start(&calls);
    cubinet_archive *archive = NULL;
    CUcontext context = NULL;
    CUdeviceptr out = 0;
    GPU_OK(cubinet_archive_open(argv[1], NULL, &archive));
    GPU_DRIVER(calls.cuDevicePrimaryCtxRetain(&context, 0));
    GPU_DRIVER(calls.cuCtxPushCurrent(context));
    GPU_DRIVER(calls.cuMemAlloc(&out, sizeof(int)));
    preload(driver, archive, 1, out); /* the first opens nvJitLink */
    preload(driver, archive, 1, out);
    preload(driver, archive, 4, out);
    preload(driver, archive, 0, out);
    cancel(driver, archive);
    GPU_DRIVER(calls.cuMemFree(out));
    GPU_DRIVER(calls.cuCtxPopCurrent(&context));
    cubinet_archive_close(archive);
    cubinet_driver_close(driver);
    return 0;
}
