/* SPDX-License-Identifier: Apache-2.0 */
/* How long a module takes from bytes to its first function: through Cubinet, and through the driver alone
 * from other forms of the same kernel. Every round times each contender once, so that they share whatever
 * else the machine does; medians and their ratio to the first contender are printed.
 *
 *     bench_load ARCHIVE MODULE KERNEL [LABEL=FILE]...
 *
 * KERNEL is a lowered name; each FILE is a cubin, fatbin or PTX that contains it, or another archive with
 * that module (FILE.cubinet), which is opened in each round. */
#include <cubinet/cubinet.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 201, CONTENDERS = 16 };

#define DRIVER_CALLS(X)                                                                                      \
    X(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                                      \
    X(cuCtxSetCurrent, (CUcontext context))                                                                  \
    X(cuLibraryLoadData, (CUlibrary * library, const void *code, int *jit_options, void **jit_values,        \
                          unsigned jit_count, int *options, void **values, unsigned count))                  \
    X(cuLibraryUnload, (CUlibrary library))                                                                  \
    X(cuLibraryGetKernel, (CUkernel * kernel, CUlibrary library, const char *name))                          \
    X(cuKernelGetFunction, (CUfunction * function, CUkernel kernel))

struct calls {
#define X(name, parameters) int(*name) parameters;
    DRIVER_CALLS(X)
#undef X
};

struct bench {
    cubinet_driver *driver;
    cubinet_archive *archive;
    const char *module, *kernel;
    struct calls calls;
};

struct contender {
    const char *label;
    char *code;       /* NULL: Cubinet */
    const char *path; /* of the archive that each round opens; NULL: the one that is open */
    size_t size;
    double load[ROUNDS], function[ROUNDS], total[ROUNDS]; /* microseconds */
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void die(const char *what, int result)
{
    fprintf(stderr, "bench_load: %s failed (%d) %s\n", what, result, cubinet_error_message());
    exit(1);
}

#define MUST(call)                                                                                           \
    do {                                                                                                     \
        int must_result = (int)(call);                                                                       \
        if (must_result) {                                                                                   \
            die(#call, must_result);                                                                         \
        }                                                                                                    \
    } while (0)

static void round_driver(const struct bench *bench, struct contender *contender, int round)
{
    CUlibrary library = NULL;
    CUkernel kernel = NULL;
    CUfunction function = NULL;
    double start = now();
    MUST(bench->calls.cuLibraryLoadData(&library, contender->code, NULL, NULL, 0, NULL, NULL, 0));
    double loaded = now();
    MUST(bench->calls.cuLibraryGetKernel(&kernel, library, bench->kernel));
    MUST(bench->calls.cuKernelGetFunction(&function, kernel));
    double end = now();
    MUST(bench->calls.cuLibraryUnload(library));
    contender->load[round] = loaded - start;
    contender->function[round] = end - loaded;
    contender->total[round] = end - start;
}

static void round_cubinet(const struct bench *bench, struct contender *contender, int round)
{
    cubinet_archive *archive = bench->archive;
    cubinet_module *module = NULL;
    cubinet_kernel *kernel = NULL;
    CUfunction function = NULL;
    double start = now();
    if (contender->path) {
        MUST(cubinet_archive_open(contender->path, NULL, &archive));
    }
    MUST(cubinet_module_load(bench->driver, archive, bench->module, 0, NULL, &module));
    double loaded = now();
    MUST(cubinet_module_get_kernel(module, bench->kernel, &kernel));
    MUST(cubinet_kernel_get_function(kernel, &function));
    double end = now();
    MUST(cubinet_module_unload(module));
    if (contender->path) {
        cubinet_archive_close(archive);
    }
    contender->load[round] = loaded - start;
    contender->function[round] = end - loaded;
    contender->total[round] = end - start;
}

static char *slurp(const char *path, size_t *out_size)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
        perror(path);
        exit(1);
    }
    long size = ftell(file);
    rewind(file);
    char *data = calloc(1, (size_t)size + 1); /* a NUL ends PTX */
    if (size < 0 || !data || fread(data, 1, (size_t)size, file) != (size_t)size) {
        perror(path);
        exit(1);
    }
    fclose(file);
    *out_size = (size_t)size;
    return data;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double values[ROUNDS])
{
    qsort(values, ROUNDS, sizeof(*values), by_value);
    return values[ROUNDS / 2];
}

static void print(struct contender *contenders, int count)
{
    double reference = 0;
    printf("%-34s %9s %9s %9s %9s %7s\n", "median of 201 rounds, microseconds", "bytes", "load", "function",
           "total", "ratio");
    for (int i = 0; i < count; i++) {
        struct contender *contender = &contenders[i];
        double load = median(contender->load), function = median(contender->function);
        double total = median(contender->total);
        reference = i == 0 ? total : reference;
        printf("%-34s %9zu %9.1f %9.1f %9.1f %7.2f\n", contender->label, contender->size, load, function,
               total, total / reference);
    }
}

static bool is_archive(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcmp(dot, ".cubinet") == 0;
}

static void prepare(struct bench *bench, char **argv)
{
    bench->module = argv[2];
    bench->kernel = argv[3];
    MUST(cubinet_driver_open(NULL, &bench->driver));
    MUST(cubinet_archive_open(argv[1], NULL, &bench->archive));
#define X(name, parameters)                                                                                  \
    MUST(cubinet_driver_get_proc_address(bench->driver, #name, (void **)&bench->calls.name));
    DRIVER_CALLS(X)
#undef X
    CUcontext context = NULL;
    MUST(bench->calls.cuDevicePrimaryCtxRetain(&context, 0));
    MUST(bench->calls.cuCtxSetCurrent(context));
}

int main(int argc, char **argv)
{
    static struct contender contenders[CONTENDERS] = {
        {.label = "Cubinet, archive open"},
        {.label = "Cubinet, opening the archive too"},
    };
    if (argc < 4 || argc - 4 > CONTENDERS - 2) {
        fprintf(stderr, "usage: bench_load ARCHIVE MODULE KERNEL [LABEL=FILE]...\n");
        return 2;
    }
    struct bench bench = {0};
    contenders[1].path = argv[1];
    prepare(&bench, argv);
    int count = 2;
    for (int i = 4; i < argc; i++, count++) {
        char *equals = strchr(argv[i], '=');
        if (!equals) {
            fprintf(stderr, "bench_load: '%s' is not LABEL=FILE\n", argv[i]);
            return 2;
        }
        *equals = '\0';
        contenders[count].label = argv[i];
        if (is_archive(equals + 1)) {
            contenders[count].path = equals + 1;
        } else {
            contenders[count].code = slurp(equals + 1, &contenders[count].size);
        }
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < count; i++) {
            struct contender *contender = &contenders[(i + round) % count];
            if (contender->code) {
                round_driver(&bench, contender, round);
            } else {
                round_cubinet(&bench, contender, round);
            }
        }
    }
    print(contenders, count);
    for (int i = 2; i < count; i++) {
        free(contenders[i].code);
    }
    cubinet_archive_close(bench.archive);
    cubinet_driver_close(bench.driver);
    return 0;
}
