/* SPDX-License-Identifier: Apache-2.0 */
/* How long a module takes from an archive to its first function: through Cubinet, and through the driver
 * alone from other forms of the same kernel. Every round times each contender once, in an order of
 * its own, so that they share whatever else the machine does and what the one before left in the caches;
 * medians and their ratio to the first contender are printed.
 *
 *     bench_load MODULE KERNEL LABEL=FORM:FILE...
 *
 * KERNEL is a lowered name. Each FILE is an archive (.cubinet) with that module, or a cubin, fatbin or PTX
 * that contains the kernel. FORM says where a round starts: `ready` with an open archive, or with the other
 * file's bytes in memory; `file` with the file's name, so that it is opened and mapped. */
#include "driver_calls.h"
#include "measure.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROUNDS = 201, MOST_CONTENDERS = 24 };

struct bench {
    cubinet_driver *driver;
    const char *module, *kernel;
    struct driver_calls calls;
};

struct contender {
    const char *label, *path;
    bool is_archive;
    bool is_ready;            /* a round does not open the file */
    cubinet_archive *archive; /* of an archive that is ready */
    void *code;               /* of another file that is ready */
    size_t size;
    double load[ROUNDS], function[ROUNDS], total[ROUNDS]; /* microseconds */
};

/* When a round began, had the code loaded, and had the function. */
struct moments {
    double start, loaded, end;
};

/* A file as a program that is deployed with it would bring it into memory. */
static void *map(const char *path, size_t *out_size)
{
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    MUST_OF(path, file < 0 || fstat(file, &about));
    void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    MUST_OF(path, bytes == MAP_FAILED);
    close(file);
    *out_size = (size_t)about.st_size;
    return bytes;
}

static struct moments load_with_driver(const struct bench *bench, const struct contender *contender)
{
    CUlibrary library = NULL;
    CUkernel kernel = NULL;
    CUfunction function = NULL;
    size_t size = 0;
    struct moments moments = {.start = now()};
    void *code = contender->is_ready ? contender->code : map(contender->path, &size);
    MUST(bench->calls.cuLibraryLoadData(&library, code, NULL, NULL, 0, NULL, NULL, 0));
    moments.loaded = now();
    MUST(bench->calls.cuLibraryGetKernel(&kernel, library, bench->kernel));
    MUST(bench->calls.cuKernelGetFunction(&function, kernel));
    moments.end = now();
    MUST(bench->calls.cuLibraryUnload(library));
    if (!contender->is_ready) {
        munmap(code, size);
    }
    return moments;
}

static struct moments load_with_cubinet(const struct bench *bench, const struct contender *contender)
{
    cubinet_archive *archive = contender->archive;
    cubinet_module *module = NULL;
    cubinet_kernel *kernel = NULL;
    CUfunction function = NULL;
    struct moments moments = {.start = now()};
    if (!contender->is_ready) {
        MUST(cubinet_archive_open(contender->path, NULL, &archive));
    }
    MUST(cubinet_module_load(bench->driver, archive, bench->module, 0, NULL, &module));
    moments.loaded = now();
    MUST(cubinet_module_find_kernel(module, bench->kernel, &kernel));
    MUST(cubinet_kernel_get_function(kernel, &function));
    moments.end = now();
    MUST(cubinet_module_unload(module));
    if (!contender->is_ready) {
        cubinet_archive_close(archive);
    }
    return moments;
}

static void time_round(const struct bench *bench, struct contender *contender, int round)
{
    struct moments moments =
        contender->is_archive ? load_with_cubinet(bench, contender) : load_with_driver(bench, contender);
    contender->load[round] = moments.loaded - moments.start;
    contender->function[round] = moments.end - moments.loaded;
    contender->total[round] = moments.end - moments.start;
}

static void print(struct contender *contenders, int count)
{
    double reference = 0;
    printf("%-44s %10s %9s %9s %9s %7s\n", "median of 201 rounds, microseconds", "bytes", "load", "function",
           "total", "ratio");
    for (int i = 0; i < count; i++) {
        struct contender *contender = &contenders[i];
        double load = median_of(contender->load, ROUNDS);
        double function = median_of(contender->function, ROUNDS);
        double total = median_of(contender->total, ROUNDS);
        reference = i == 0 ? total : reference;
        printf("%-44s %10zu %9.1f %9.1f %9.1f %7.2f\n", contender->label, contender->size, load, function,
               total, total / reference);
    }
}

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text);
    return size >= strlen(end) && strcmp(text + size - strlen(end), end) == 0;
}

/* A file's bytes, and the NUL that ends PTX. */
static void *read_code(const char *path)
{
    size_t size = 0;
    char *bytes = slurp(path, &size);
    char *code = realloc(bytes, size + 1);
    MUST_OF(path, !code);
    code[size] = '\0';
    return code;
}

/* Reads LABEL=FORM:FILE, and makes ready what is to be. */
static void prepare(char *text, struct contender *contender)
{
    struct stat about;
    char *form = strchr(text, '=');
    char *path = form ? strchr(form, ':') : NULL;
    if (!path) {
        fprintf(stderr, "bench_load: '%s' is not LABEL=FORM:FILE\n", text);
        exit(2);
    }
    *form++ = '\0';
    *path++ = '\0';
    *contender = (struct contender){.label = text, .path = path};
    contender->is_archive = ends_with(path, ".cubinet");
    contender->is_ready = strcmp(form, "ready") == 0;
    MUST_OF(form, !contender->is_ready && strcmp(form, "file") != 0);
    MUST_OF(path, stat(path, &about));
    contender->size = (size_t)about.st_size;
    if (contender->is_ready && contender->is_archive) {
        MUST_OF(path, cubinet_archive_open(path, NULL, &contender->archive));
    } else if (contender->is_ready) {
        contender->code = read_code(path);
    }
}

/* The same orders in every run. */
static void shuffle(int *order, int count)
{
    static uint32_t state = 1;
    for (int i = count - 1; i > 0; i--) {
        state = state * 1664525 + 1013904223;
        int other = (int)((state >> 8) % (uint32_t)(i + 1));
        int moved = order[i];
        order[i] = order[other];
        order[other] = moved;
    }
}

static void time_rounds(const struct bench *bench, struct contender *contenders, int count)
{
    int order[MOST_CONTENDERS];
    for (int i = 0; i < count; i++) {
        order[i] = i;
    }
    for (int round = 0; round < ROUNDS; round++) {
        shuffle(order, count);
        for (int i = 0; i < count; i++) {
            time_round(bench, &contenders[order[i]], round);
        }
    }
}

int main(int argc, char **argv)
{
    static struct contender contenders[MOST_CONTENDERS];
    int count = argc - 3;
    if (count < 1 || count > MOST_CONTENDERS) {
        fprintf(stderr, "usage: bench_load MODULE KERNEL LABEL=FORM:FILE...\n");
        return 2;
    }
    struct bench bench = {.module = argv[1], .kernel = argv[2]};
    MUST(cubinet_driver_open(NULL, &bench.driver));
    driver_calls_find(bench.driver, &bench.calls);
    driver_calls_take_first_gpu(&bench.calls);
    for (int i = 0; i < count; i++) {
        prepare(argv[i + 3], &contenders[i]);
    }
    time_rounds(&bench, contenders, count);
    print(contenders, count);
    for (int i = 0; i < count; i++) {
        free(contenders[i].code);
        cubinet_archive_close(contenders[i].archive);
    }
    cubinet_driver_close(bench.driver);
    return 0;
}
