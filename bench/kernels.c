/* SPDX-License-Identifier: Apache-2.0 */
/* The run time of one kernel as several compilers made it. Every round times each contender once; medians and
 * their ratio to the first contender are printed. The results of all of them have to be the same, byte for
 * byte.
 *
 *     bench_kernels KERNEL GRID BLOCK BYTES LABEL=FILE...
 *
 * KERNEL is a lowered name and takes (const void *in, void *out), buffers of BYTES bytes each; each FILE is a
 * cubin that contains it. */
#include <cubinet/cubinet.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 31, LAUNCHES = 20, CONTENDERS = 8 };

typedef void *event;

#define DRIVER_CALLS(X)                                                                                      \
    X(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                                      \
    X(cuCtxSetCurrent, (CUcontext context))                                                                  \
    X(cuCtxSynchronize, (void))                                                                              \
    X(cuMemAlloc, (CUdeviceptr * address, size_t bytes))                                                     \
    X(cuMemcpyHtoD, (CUdeviceptr to, const void *from, size_t bytes))                                        \
    X(cuMemcpyDtoH, (void *to, CUdeviceptr from, size_t bytes))                                              \
    X(cuMemsetD8, (CUdeviceptr to, unsigned char value, size_t bytes))                                       \
    X(cuModuleLoadData, (void **module, const void *image))                                                  \
    X(cuModuleGetFunction, (CUfunction * function, void *module, const char *name))                          \
    X(cuLaunchKernel, (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,               \
                       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,                \
                       CUstream stream, void **parameters, void **extra))                                    \
    X(cuFuncGetAttribute, (int *value, int attribute, CUfunction function))                                  \
    X(cuEventCreate, (event * out, unsigned flags))                                                          \
    X(cuEventRecord, (event event, CUstream stream))                                                         \
    X(cuEventSynchronize, (event event))                                                                     \
    X(cuEventElapsedTime, (float *milliseconds, event start, event end))

static struct {
#define X(name, parameters) int(*name) parameters;
    DRIVER_CALLS(X)
#undef X
} calls;

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
    event start, end;
};

static void die(const char *what, int result)
{
    fprintf(stderr, "bench_kernels: %s failed (%d) %s\n", what, result, cubinet_error_message());
    exit(1);
}

#define MUST(call)                                                                                           \
    do {                                                                                                     \
        int must_result = (int)(call);                                                                       \
        if (must_result) {                                                                                   \
            die(#call, must_result);                                                                         \
        }                                                                                                    \
    } while (0)

static void open_driver(void)
{
    cubinet_driver *driver = NULL;
    MUST(cubinet_driver_open(NULL, &driver));
#define X(name, parameters) MUST(cubinet_driver_get_proc_address(driver, #name, (void **)&calls.name));
    DRIVER_CALLS(X)
#undef X
    CUcontext context = NULL;
    MUST(calls.cuDevicePrimaryCtxRetain(&context, 0));
    MUST(calls.cuCtxSetCurrent(context));
}

static void *slurp(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
        perror(path);
        exit(1);
    }
    long size = ftell(file);
    rewind(file);
    void *data = size > 0 ? malloc((size_t)size) : NULL;
    if (!data || fread(data, 1, (size_t)size, file) != (size_t)size) {
        perror(path);
        exit(1);
    }
    fclose(file);
    return data;
}

static struct contender load(const char *kernel, char *argument)
{
    char *equals = strchr(argument, '=');
    if (!equals) {
        fprintf(stderr, "bench_kernels: '%s' is not LABEL=FILE\n", argument);
        exit(2);
    }
    *equals = '\0';
    struct contender contender = {.label = argument};
    void *image = slurp(equals + 1);
    void *module = NULL;
    MUST(calls.cuModuleLoadData(&module, image));
    MUST(calls.cuModuleGetFunction(&contender.function, module, kernel));
    MUST(calls.cuFuncGetAttribute(&contender.registers, 4 /* CU_FUNC_ATTRIBUTE_NUM_REGS */,
                                  contender.function));
    free(image);
    return contender;
}

/* Words below 2^30 are small positive numbers as integers, floats and halves of doubles alike. */
static void fill(const struct bench *bench)
{
    uint32_t *words = malloc(bench->bytes);
    if (!words) {
        die("malloc", 0);
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
        die("malloc", 0);
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

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    if (argc < 6 || argc - 5 > CONTENDERS) {
        fprintf(stderr, "usage: bench_kernels KERNEL GRID BLOCK BYTES LABEL=FILE...\n");
        return 2;
    }
    open_driver();
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
        qsort(contender->times, ROUNDS, sizeof(*contender->times), by_value);
        double median = contender->times[ROUNDS / 2];
        reference = i == 0 ? median : reference;
        int same = memcmp(contender->result, contenders[0].result, bench.bytes) == 0;
        failed |= !same;
        printf("%-18s %-10s %4d registers %9.2f us %6.3f %s\n", argv[1], contender->label,
               contender->registers, median, median / reference, same ? "" : "DIFFERENT RESULT");
    }
    return failed;
}
