/* SPDX-License-Identifier: Apache-2.0 */
/* What programmatic dependent launches save: a chain of kernels that each prepare something before they wait
 * for the kernel before them, launched plainly and programmatically, through Cubinet and through
 * cuLaunchKernelEx(). Needs compute capability 9.0.
 *
 *     cubinet compile bench/overlap_kernel.cu -o overlap.cubinet --arch 90
 *     bench_overlap overlap.cubinet
 */
#include "driver_calls.h"
#include "measure.h"

#include "loader/driver/cuda_abi.h"

#include <stdbool.h>
#include <stdio.h>

enum { STEPS = 200, ROUNDS = 51, BLOCK = 128 };

typedef int launch_ex(const cbn_cu_launch_config *config, CUfunction function, void **params, void **extra);

struct bench {
    struct driver_calls calls;
    launch_ex *launch;
    cubinet_kernel *kernel;
    CUfunction function;
    CUdeviceptr value;
    gpu_event events[2];
};

static void launch_ours(struct bench *bench, bool is_programmatic, unsigned nanoseconds)
{
    const cubinet_launch_config config = {.size = sizeof(config),
                                          .grid = {1},
                                          .block = {BLOCK},
                                          .flags = is_programmatic ? CUBINET_LAUNCH_PROGRAMMATIC : 0};
    const cubinet_arg args[] = {CUBINET_ARG(bench->value), CUBINET_ARG(nanoseconds)};
    MUST(cubinet_kernel_launch(bench->kernel, &config, args, 2));
}

static void launch_drivers(struct bench *bench, bool is_programmatic, unsigned nanoseconds)
{
    cbn_cu_launch_attribute attribute = {.id = CBN_CU_LAUNCH_PROGRAMMATIC_STREAM_SERIALIZATION};
    attribute.value.programmatic_serialization = 1;
    const cbn_cu_launch_config config = {.grid_x = 1,
                                         .grid_y = 1,
                                         .grid_z = 1,
                                         .block_x = BLOCK,
                                         .block_y = 1,
                                         .block_z = 1,
                                         .attributes = &attribute,
                                         .attribute_count = is_programmatic};
    void *params[] = {&bench->value, &nanoseconds};
    MUST(bench->launch(&config, bench->function, params, NULL));
}

/* Microseconds of GPU time for each step. */
static double time_chain(struct bench *bench, void (*launch)(struct bench *, bool, unsigned),
                         bool is_programmatic, unsigned nanoseconds)
{
    float milliseconds = 0;
    unsigned count = 0;
    MUST(bench->calls.cuMemsetD32(bench->value, 0, 1));
    MUST(bench->calls.cuCtxSynchronize());
    MUST(bench->calls.cuEventRecord(bench->events[0], NULL));
    for (int i = 0; i < STEPS; i++) {
        launch(bench, is_programmatic, nanoseconds);
    }
    MUST(bench->calls.cuEventRecord(bench->events[1], NULL));
    MUST(bench->calls.cuEventSynchronize(bench->events[1]));
    MUST(bench->calls.cuEventElapsedTime(&milliseconds, bench->events[0], bench->events[1]));
    MUST(bench->calls.cuMemcpyDtoH(&count, bench->value, sizeof(count)));
    MUST(count != STEPS);
    return milliseconds * 1000.0 / STEPS;
}

static void compare(struct bench *bench, unsigned nanoseconds)
{
    static const struct {
        const char *name;
        void (*launch)(struct bench *, bool, unsigned);
        bool is_programmatic;
    } contenders[] = {{"cuLaunchKernelEx(), plain", launch_drivers, false},
                      {"Cubinet, plain", launch_ours, false},
                      {"cuLaunchKernelEx(), programmatic", launch_drivers, true},
                      {"Cubinet, programmatic", launch_ours, true}};
    enum { COUNT = sizeof(contenders) / sizeof(contenders[0]) };
    double times[COUNT][ROUNDS];
    for (size_t round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < COUNT; i++) {
            size_t turn = (round + i) % COUNT;
            times[turn][round] =
                time_chain(bench, contenders[turn].launch, contenders[turn].is_programmatic, nanoseconds);
        }
    }
    double plain = 0;
    for (size_t i = 0; i < COUNT; i++) {
        double median = median_of(times[i], ROUNDS);
        plain = i == 0 ? median : plain;
        printf("%-34s %10u ns to prepare %8.2f us a step %7.3f\n", contenders[i].name, nanoseconds, median,
               median / plain);
    }
}

int main(int argc, char **argv)
{
    struct bench bench = {0};
    cubinet_driver *driver = NULL;
    cubinet_archive *archive = NULL;
    cubinet_module *module = NULL;
    if (argc != 2) {
        fprintf(stderr, "usage: bench_overlap ARCHIVE\n");
        return 2;
    }
    MUST(cubinet_driver_open(NULL, &driver));
    MUST_OF(argv[1], cubinet_archive_open(argv[1], NULL, &archive));
    driver_calls_find(driver, &bench.calls);
    driver_calls_take_first_gpu(&bench.calls);
    MUST(cubinet_driver_get_proc_address(driver, "cuLaunchKernelEx", (void **)&bench.launch));
    MUST(cubinet_module_load(driver, archive, "overlap_kernel", 0, NULL, &module));
    MUST(cubinet_module_find_kernel(module, "step", &bench.kernel));
    MUST(cubinet_kernel_get_function(bench.kernel, &bench.function));
    MUST(bench.calls.cuMemAlloc(&bench.value, sizeof(unsigned)));
    MUST(bench.calls.cuEventCreate(&bench.events[0], 0));
    MUST(bench.calls.cuEventCreate(&bench.events[1], 0));
    for (unsigned nanoseconds = 0; nanoseconds <= 20000; nanoseconds = nanoseconds ? nanoseconds * 2 : 2500) {
        compare(&bench, nanoseconds);
    }
    MUST(bench.calls.cuMemFree(bench.value));
    MUST(cubinet_module_unload(module));
    cubinet_archive_close(archive);
    cubinet_driver_close(driver);
    return 0;
}
