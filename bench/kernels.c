/* SPDX-License-Identifier: Apache-2.0 */
/* The run time of one kernel as several compilers made it. Every round times each contender once; medians and
 * their ratio to the first contender are printed. The results of all of them have to be the same, byte for
 * byte.
 *
 *     bench_kernels KERNEL GRID BLOCK BYTES LABEL=FILE...
 *
 * KERNEL is a lowered name and takes (const void *in, void *out), buffers of BYTES bytes each; each FILE is a
 * cubin that contains it. */
#include "driver_calls.h"
#include "measure.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 31, LAUNCHES = 20, CONTENDERS = 8 };

struct contender {
    const char *label;
    CUfunction function;
    int registers;
    double times[ROUNDS]; /* microseconds for each launch */
    unsigned char *result;
};

struct bench {
    unsigned grid, block;
    size_t bytes;
    CUdeviceptr in, out;
    gpu_event start, end;
};

static struct driver_calls calls;

static struct contender load(const char *kernel, char *argument)
{
    char *equals = strchr(argument, '=');
    if (!equals) {
        fprintf(stderr, "bench_kernels: '%s' is not LABEL=FILE\n", argument);
        exit(2);
    }
    *equals = '\0';
    struct contender contender = {.label = argument};
    void *image = slurp(equals + 1, NULL);
    void *module = NULL;
    MUST(calls.cuModuleLoadData(&module, image));
    MUST(calls.cuModuleGetFunction(&contender.function, module, kernel));
    MUST(calls.cuFuncGetAttribute(&contender.registers, NUM_REGS_ATTRIBUTE, contender.function));
    free(image);
    return contender;
}

/* Words below 2^30 are small positive numbers as integers, floats and halves of doubles alike. */
static void fill(const struct bench *bench)
{
    uint32_t *words = malloc(bench->bytes);
    if (!words) {
        die(NULL, "malloc", 0);
    }
    uint32_t state = 1;
    for (size_t i = 0; i < bench->bytes / sizeof(*words); i++) {
        state = state * 1664525 + 1013904223;
        words[i] = state >> 2;
    }
    MUST(calls.cuMemcpyHtoD(bench->in, words, bench->bytes));
    free(words);
}

static void launch(const struct bench *bench, const struct contender *contender)
{
    CUdeviceptr in = bench->in, out = bench->out;
    void *parameters[] = {&in, &out};
    MUST(calls.cuLaunchKernel(contender->function, bench->grid, 1, 1, bench->block, 1, 1, 0, NULL, parameters,
                              NULL));
}

static void run_once(const struct bench *bench, struct contender *contender)
{
    contender->result = malloc(bench->bytes);
    if (!contender->result) {
        die(NULL, "malloc", 0);
    }
    MUST(calls.cuMemsetD8(bench->out, 0xa5, bench->bytes));
    launch(bench, contender);
    MUST(calls.cuCtxSynchronize());
    MUST(calls.cuMemcpyDtoH(contender->result, bench->out, bench->bytes));
}

static void time_once(const struct bench *bench, struct contender *contender, int round)
{
    float milliseconds = 0;
    MUST(calls.cuEventRecord(bench->start, NULL));
    for (int i = 0; i < LAUNCHES; i++) {
        launch(bench, contender);
    }
    MUST(calls.cuEventRecord(bench->end, NULL));
    MUST(calls.cuEventSynchronize(bench->end));
    MUST(calls.cuEventElapsedTime(&milliseconds, bench->start, bench->end));
    contender->times[round] = (double)milliseconds * 1e3 / LAUNCHES;
}

int main(int argc, char **argv)
{
    if (argc < 6 || argc - 5 > CONTENDERS) {
        fprintf(stderr, "usage: bench_kernels KERNEL GRID BLOCK BYTES LABEL=FILE...\n");
        return 2;
    }
    cubinet_driver *driver = NULL;
    MUST(cubinet_driver_open(NULL, &driver));
    driver_calls_find(driver, &calls);
    driver_calls_take_first_gpu(&calls);
    struct bench bench = {
        .grid = (unsigned)strtoul(argv[2], NULL, 10),
        .block = (unsigned)strtoul(argv[3], NULL, 10),
        .bytes = strtoul(argv[4], NULL, 10),
    };
    MUST(calls.cuMemAlloc(&bench.in, bench.bytes));
    MUST(calls.cuMemAlloc(&bench.out, bench.bytes));
    MUST(calls.cuEventCreate(&bench.start, 0));
    MUST(calls.cuEventCreate(&bench.end, 0));
    fill(&bench);
    struct contender contenders[CONTENDERS];
    int count = argc - 5;
    for (int i = 0; i < count; i++) {
        contenders[i] = load(argv[1], argv[5 + i]);
        run_once(&bench, &contenders[i]);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < count; i++) {
            time_once(&bench, &contenders[(i + round) % count], round);
        }
    }
    int failed = 0;
    double reference = 0;
    for (int i = 0; i < count; i++) {
        struct contender *contender = &contenders[i];
        double median = median_of(contender->times, ROUNDS);
        reference = i == 0 ? median : reference;
        int same = memcmp(contender->result, contenders[0].result, bench.bytes) == 0;
        failed |= !same;
        printf("%-18s %-10s %4d registers %9.2f us %6.3f %s\n", argv[1], contender->label,
               contender->registers, median, median / reference, same ? "" : "DIFFERENT RESULT");
    }
    return failed;
}
