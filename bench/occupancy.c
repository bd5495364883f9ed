/* SPDX-License-Identifier: Apache-2.0 */
/* How good cubinet_kernel_suggest_launch() is: for five kernels, the time with the suggested configuration
 * against the best of every block size in whole warps and, for planes, every shape of it. Each time is the
 * median of several launches; the suggested one is timed before and after the sweep.
 *
 *     bench_occupancy ARCHIVE      of occupancy_kernels.cu, module "occupancy_kernels" */
#include "driver_calls.h"
#include "measure.h"

#include <stdint.h>
#include <stdio.h>

enum { ROUNDS = 9, WARP = 32, MAX_THREADS = 1024 };

static const struct subject {
    const char *name;
    const char *bound;
    uint64_t extent[3];
    uint32_t count;            /* the kernel's last argument */
    uint32_t shared_of_thread; /* bytes of dynamic shared memory for each thread of a block */
} subjects[] = {
    {"triad", "memory", {1u << 28, 1, 1}, 1u << 28, 0},
    {"stencil", "memory", {16384, 16384, 1}, 16384, 0},
    {"block_sums", "memory", {1u << 28, 1, 1}, 1u << 28, 4},
    {"mandelbrot", "compute", {8192, 8192, 1}, 8192, 0},
    {"bodies", "compute", {200000, 1, 1}, 200000, 16},
};

struct bench {
    const cubinet_kernel *kernel;
    const struct subject *subject;
    CUdeviceptr arrays[3];
    gpu_event start, end;
};

static struct driver_calls cu;

static void launch(const struct bench *bench, const cubinet_launch_config *config)
{
    uint32_t count = bench->subject->count;
    const cubinet_arg args[] = {CUBINET_ARG(bench->arrays[0]), CUBINET_ARG(bench->arrays[1]),
                                CUBINET_ARG(bench->arrays[2]), CUBINET_ARG(count)};
    MUST(cubinet_kernel_launch(bench->kernel, config, args, 4));
}

/* Milliseconds. */
static double time_config(const struct bench *bench, const cubinet_launch_config *config)
{
    double times[ROUNDS];
    launch(bench, config);
    for (int i = 0; i < ROUNDS; i++) {
        MUST(cu.cuEventRecord(bench->start, NULL));
        launch(bench, config);
        MUST(cu.cuEventRecord(bench->end, NULL));
        MUST(cu.cuEventSynchronize(bench->end));
        float time = 0;
        MUST(cu.cuEventElapsedTime(&time, bench->start, bench->end));
        times[i] = (double)time;
    }
    return median_of(times, ROUNDS);
}

static uint32_t shared_of_block(uint32_t block_threads, void *user)
{
    const struct subject *subject = user;
    return block_threads * subject->shared_of_thread;
}

static cubinet_launch_config suggest(const struct bench *bench, cubinet_launch_estimate *out_estimate)
{
    const cubinet_suggest_options options = {.size = sizeof(options),
                                             .dynamic_shared_fn = shared_of_block,
                                             .dynamic_shared_user = (void *)(uintptr_t)bench->subject};
    cubinet_launch_config config = {.size = sizeof(config)};
    MUST(cubinet_kernel_suggest_launch(bench->kernel, bench->subject->extent, &options, &config,
                                       out_estimate));
    return config;
}

static cubinet_launch_config config_of(const struct subject *subject, uint32_t x, uint32_t y)
{
    return (cubinet_launch_config){
        .size = sizeof(cubinet_launch_config),
        .grid = {(uint32_t)((subject->extent[0] + x - 1) / x), (uint32_t)((subject->extent[1] + y - 1) / y),
                 1},
        .block = {x, y, 1},
        .dynamic_shared_bytes = x * y * subject->shared_of_thread,
    };
}

struct sweep {
    cubinet_launch_config best;
    double best_time, worst_time;
    unsigned int count;
};

static void try_shape(const struct bench *bench, uint32_t x, uint32_t y, struct sweep *sweep)
{
    const cubinet_launch_config config = config_of(bench->subject, x, y);
    double time = time_config(bench, &config);
    if (!sweep->count || time < sweep->best_time) {
        sweep->best = config;
        sweep->best_time = time;
    }
    sweep->worst_time = time > sweep->worst_time ? time : sweep->worst_time;
    sweep->count++;
}

/* Every whole number of warps, and for a plane every pair of sides that make one. */
static struct sweep sweep_all(const struct bench *bench)
{
    struct sweep sweep = {0};
    for (uint32_t threads = WARP; threads <= MAX_THREADS; threads += WARP) {
        for (uint32_t y = 1; y <= threads; y++) {
            if (threads % y == 0 && (y == 1 || bench->subject->extent[1] > 1)) {
                try_shape(bench, threads / y, y, &sweep);
            }
        }
    }
    return sweep;
}

static void measure(const struct bench *bench)
{
    cubinet_launch_estimate estimate = {.size = sizeof(estimate)};
    cubinet_occupancy occupancy = {.size = sizeof(occupancy)};
    const cubinet_launch_config suggested = suggest(bench, &estimate);
    MUST(cubinet_kernel_get_occupancy(bench->kernel, &suggested, &occupancy));
    double before = time_config(bench, &suggested);
    struct sweep sweep = sweep_all(bench);
    double after = time_config(bench, &suggested);
    double best_again = time_config(bench, &sweep.best);
    const uint32_t *block = suggested.block;
    printf("| %s | %s | %u × %u | %.2f | %.1f | %u × %u | %u | %.3f | %.3f | **%.3f** | %.2f |\n",
           bench->subject->name, bench->subject->bound, block[0], block[1], occupancy.occupancy,
           estimate.waves, sweep.best.block[0], sweep.best.block[1], sweep.count, after, best_again,
           best_again / after, best_again / sweep.worst_time);
    fprintf(stderr, "%s: suggested %.4f ms before, %.4f after; best %.4f in the sweep, %.4f after\n",
            bench->subject->name, before, after, sweep.best_time, best_again);
}

static void measure_all(cubinet_module *module, struct bench *bench)
{
    printf("| kernel | bound by | suggested block | occupancy | waves | best block | tried | suggested, ms | "
           "best, ms | "
           "best over suggested | best over worst |\n"
           "| --- | --- | --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |\n");
    for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++) {
        cubinet_kernel *kernel = NULL;
        MUST(cubinet_module_find_kernel(module, subjects[i].name, &kernel));
        bench->kernel = kernel;
        bench->subject = &subjects[i];
        measure(bench);
    }
}

int main(int argc, char **argv)
{
    struct bench bench = {0};
    cubinet_driver *driver = NULL;
    cubinet_archive *archive = NULL;
    cubinet_module *module = NULL;
    if (argc != 2) {
        fprintf(stderr, "usage: bench_occupancy ARCHIVE\n");
        return 2;
    }
    MUST(cubinet_driver_open(NULL, &driver));
    driver_calls_find(driver, &cu);
    MUST(cubinet_archive_open(argv[1], NULL, &archive));
    MUST(cubinet_module_load(driver, archive, "occupancy_kernels", 0, NULL, &module));
    MUST(cu.cuCtxPushCurrent(cubinet_module_get_context(module)));
    MUST(cu.cuEventCreate(&bench.start, 0));
    MUST(cu.cuEventCreate(&bench.end, 0));
    for (int i = 0; i < 3; i++) {
        MUST(cu.cuMemAlloc(&bench.arrays[i], sizeof(float) << 28));
        MUST(cu.cuMemsetD32(bench.arrays[i], 0x3e800000, 1u << 28)); /* 0.25 */
    }
    measure_all(module, &bench);
    for (int i = 0; i < 3; i++) {
        MUST(cu.cuMemFree(bench.arrays[i]));
    }
    MUST(cu.cuEventDestroy(bench.start));
    MUST(cu.cuEventDestroy(bench.end));
    CUcontext context = NULL;
    MUST(cu.cuCtxPopCurrent(&context));
    MUST(cubinet_module_unload(module));
    cubinet_archive_close(archive);
    cubinet_driver_close(driver);
    return 0;
}
