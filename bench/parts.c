/* SPDX-License-Identifier: Apache-2.0 */
/* What a module in parts saves: the time to its first kernel, the time to have all its kernels ready, and
 * device memory, against the same module whole, and against the driver alone with the same cubins.
 *
 *     bench_parts WHOLE PARTS MODULE KERNEL
 *
 * WHOLE and PARTS are archives with the module, of which the device's image is an ordinary one in the first
 * and consists of parts in the second. Contenders take turns in an order of each round's own. */
#include "measure.h"

#include <cubinet/cubinet.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 201 };

/* What the driver is called for here. */
struct calls {
    int (*cuDevicePrimaryCtxRetain)(CUcontext *context, CUdevice device);
    int (*cuCtxPushCurrent)(CUcontext context);
    int (*cuLibraryLoadData)(CUlibrary *library, const void *code, int *jit_options, void **jit_values,
                             unsigned jit_count, int *options, void **values, unsigned count);
    int (*cuLibraryGetKernel)(CUkernel *kernel, CUlibrary library, const char *name);
    int (*cuKernelGetFunction)(CUfunction *function, CUkernel kernel);
    int (*cuLibraryUnload)(CUlibrary library);
    int (*cuMemGetInfo)(size_t *free_bytes, size_t *total); /* NULL: not there */
};

struct side {
    const char *path;
    cubinet_archive *archive;
    uint32_t module, image;
    cubinet_module_info info;
    void **cubins; /* of each part; of an ordinary image one */
    uint32_t part_count;
};

struct bench {
    cubinet_driver *driver;
    struct calls calls;
    const char *module;
    uint32_t kernel_count;
    const char **kernels; /* lowered names; the first is the one that is asked for alone */
    struct side whole, parts;
    uint32_t part; /* with that kernel */
};

struct contender {
    const char *label;
    double (*time)(const struct bench *bench); /* microseconds of one round */
    double times[ROUNDS];
    double first;
};

static void *find(cubinet_driver *driver, const char *name, bool is_needed)
{
    void *function = NULL;
    cubinet_status status = cubinet_driver_get_proc_address(driver, name, &function);
    MUST_OF(name, is_needed && status);
    return status ? NULL : function;
}

#define FIND(name, is_needed) *(void **)&bench->calls.name = find(bench->driver, #name, is_needed)

static void find_calls(struct bench *bench)
{
    FIND(cuDevicePrimaryCtxRetain, true);
    FIND(cuCtxPushCurrent, true);
    FIND(cuLibraryLoadData, true);
    FIND(cuLibraryGetKernel, true);
    FIND(cuKernelGetFunction, true);
    FIND(cuLibraryUnload, true);
    FIND(cuMemGetInfo, false);
}

/* The driver alone. */
static void get_function(const struct bench *bench, CUlibrary library, const char *name)
{
    CUkernel kernel = NULL;
    CUfunction function = NULL;
    MUST_OF(name, bench->calls.cuLibraryGetKernel(&kernel, library, name));
    MUST_OF(name, bench->calls.cuKernelGetFunction(&function, kernel));
}

static double time_cubin(const struct bench *bench, const void *cubin, uint32_t kernels)
{
    CUlibrary library = NULL;
    double start = now();
    MUST(bench->calls.cuLibraryLoadData(&library, cubin, NULL, NULL, 0, NULL, NULL, 0));
    for (uint32_t i = 0; i < kernels; i++) {
        get_function(bench, library, bench->kernels[i]);
    }
    double end = now();
    MUST(bench->calls.cuLibraryUnload(library));
    return end - start;
}

static double bare_part(const struct bench *bench)
{
    return time_cubin(bench, bench->parts.cubins[bench->part], 1);
}

static double bare_whole(const struct bench *bench)
{
    return time_cubin(bench, bench->whole.cubins[0], 1);
}

static double bare_whole_all(const struct bench *bench)
{
    return time_cubin(bench, bench->whole.cubins[0], bench->kernel_count);
}

/* Cubinet. */
static void find_function(cubinet_module *module, const char *name)
{
    cubinet_kernel *kernel = NULL;
    CUfunction function = NULL;
    MUST_OF(name, cubinet_module_find_kernel(module, name, &kernel));
    MUST_OF(name, cubinet_kernel_get_function(kernel, &function));
}

static double time_load(const struct bench *bench, const struct side *side, uint32_t kernels, bool is_opened)
{
    cubinet_archive *archive = side->archive;
    cubinet_module *module = NULL;
    double start = now();
    if (is_opened) {
        MUST(cubinet_archive_open(side->path, NULL, &archive));
    }
    MUST(cubinet_module_load(bench->driver, archive, bench->module, 0, NULL, &module));
    for (uint32_t i = 0; i < kernels; i++) {
        find_function(module, bench->kernels[i]);
    }
    double end = now();
    MUST(cubinet_module_unload(module));
    if (is_opened) {
        cubinet_archive_close(archive);
    }
    return end - start;
}

static double parts_first(const struct bench *bench)
{
    return time_load(bench, &bench->parts, 1, false);
}

static double parts_opened(const struct bench *bench)
{
    return time_load(bench, &bench->parts, 1, true);
}

static double whole_first(const struct bench *bench)
{
    return time_load(bench, &bench->whole, 1, false);
}

static double parts_all(const struct bench *bench)
{
    return time_load(bench, &bench->parts, bench->kernel_count, false);
}

static double whole_all(const struct bench *bench)
{
    return time_load(bench, &bench->whole, bench->kernel_count, false);
}

/* And every function, so that the kernels are as ready on both sides. */
static double time_preload(const struct bench *bench, const struct side *side, uint32_t threads)
{
    const cubinet_preload_item item = {.archive = side->archive, .name = bench->module};
    const cubinet_preload_options options = {.size = sizeof(options), .threads = threads};
    cubinet_preload_result result = {.size = sizeof(result)};
    cubinet_preload *preload = NULL;
    double start = now();
    MUST(cubinet_preload_run(bench->driver, 0, &item, 1, &options, &preload));
    MUST(cubinet_preload_get_result(preload, 0, &result));
    for (uint32_t i = 0; i < bench->kernel_count; i++) {
        find_function(result.module, bench->kernels[i]);
    }
    double end = now();
    MUST(cubinet_preload_destroy(preload));
    return end - start;
}

static double preload_parts_alone(const struct bench *bench)
{
    return time_preload(bench, &bench->parts, 1);
}

static double preload_parts(const struct bench *bench)
{
    return time_preload(bench, &bench->parts, 0);
}

static double preload_whole(const struct bench *bench)
{
    return time_preload(bench, &bench->whole, 0);
}

enum {
    BARE_PART,
    PARTS_FIRST,
    PARTS_OPENED,
    BARE_WHOLE,
    WHOLE_FIRST,
    WHOLE_ALL,
    BARE_WHOLE_ALL,
    PARTS_ALL,
    PRELOAD_WHOLE,
    PRELOAD_ALONE,
    PRELOAD_PARTS,
    CONTENDERS
};

static struct contender contenders[CONTENDERS] = {
    [BARE_PART] = {.label = "first kernel: its part's cubin, driver alone", .time = bare_part},
    [PARTS_FIRST] = {.label = "first kernel: archive with parts", .time = parts_first},
    [PARTS_OPENED] = {.label = "first kernel: opening the archive, too", .time = parts_opened},
    [BARE_WHOLE] = {.label = "first kernel: the whole cubin, driver alone", .time = bare_whole},
    [WHOLE_FIRST] = {.label = "first kernel: archive, whole", .time = whole_first},
    [BARE_WHOLE_ALL] = {.label = "all kernels: the whole cubin, driver alone", .time = bare_whole_all},
    [WHOLE_ALL] = {.label = "all kernels: archive, whole", .time = whole_all},
    [PARTS_ALL] = {.label = "all kernels: archive with parts", .time = parts_all},
    [PRELOAD_WHOLE] = {.label = "all kernels: whole, preloaded", .time = preload_whole},
    [PRELOAD_ALONE] = {.label = "all kernels: parts, preloaded, 1 thread", .time = preload_parts_alone},
    [PRELOAD_PARTS] = {.label = "all kernels: parts, preloaded", .time = preload_parts},
};

/* The same orders in every run. */
static void shuffle(int order[CONTENDERS])
{
    static uint32_t state = 1;
    for (int i = CONTENDERS - 1; i > 0; i--) {
        state = state * 1664525 + 1013904223;
        int other = (int)((state >> 8) % (uint32_t)(i + 1));
        int moved = order[i];
        order[i] = order[other];
        order[other] = moved;
    }
}

static void time_all(const struct bench *bench)
{
    int order[CONTENDERS];
    for (int i = 0; i < CONTENDERS; i++) {
        order[i] = i;
    }
    for (int round = 0; round < ROUNDS; round++) {
        shuffle(order);
        for (int i = 0; i < CONTENDERS; i++) {
            struct contender *contender = &contenders[order[i]];
            contender->times[round] = contender->time(bench);
            contender->first = round ? contender->first : contender->times[0];
        }
    }
}

static double median(int contender)
{
    return median_of(contenders[contender].times, ROUNDS);
}

/* What a side's module takes on the device with so many kernels in use; -1 where the driver does not tell. */
static double memory_of(const struct bench *bench, const struct side *side, uint32_t kernels)
{
    cubinet_module *module = NULL;
    size_t before = 0;
    size_t after = 0;
    size_t total = 0;
    if (!bench->calls.cuMemGetInfo) {
        return -1;
    }
    MUST(bench->calls.cuMemGetInfo(&before, &total));
    MUST(cubinet_module_load(bench->driver, side->archive, bench->module, 0, NULL, &module));
    for (uint32_t i = 0; i < kernels; i++) {
        find_function(module, bench->kernels[i]);
    }
    MUST(bench->calls.cuMemGetInfo(&after, &total));
    MUST(cubinet_module_unload(module));
    return ((double)before - (double)after) / 1024;
}

static void print_times(void)
{
    printf("%-50s %10s %10s\n", "microseconds, median of 201 rounds", "median", "first time");
    for (int i = 0; i < CONTENDERS; i++) {
        printf("%-50s %10.1f %10.1f\n", contenders[i].label, median(i), contenders[i].first);
    }
}

static void print_ratio(const char *label, double ratio, const char *goal)
{
    printf("%-50s %10.2f %10s\n", label, ratio, goal);
}

static void print(const struct bench *bench)
{
    printf("module '%s': %u kernels, %u parts; '%s' is in part %u\n\n", bench->module,
           (unsigned)bench->kernel_count, (unsigned)bench->parts.part_count, bench->kernels[0],
           (unsigned)bench->part);
    print_times();
    printf("\n%-50s %10s %10s\n", "ratios", "", "goal");
    print_ratio("first kernel with parts / bare part", median(PARTS_FIRST) / median(BARE_PART), "<= 1.2");
    print_ratio("whole cubin / first kernel with parts", median(BARE_WHOLE) / median(PARTS_FIRST), ">= 15");
    print_ratio("all kernels preloaded, parts / whole", median(PRELOAD_PARTS) / median(PRELOAD_WHOLE),
                "<= 1");
    printf("\n%-50s %10s %10s\n", "device memory in KiB (-1: not known)", "1 kernel", "all");
    printf("%-50s %10.0f %10.0f\n", "whole", memory_of(bench, &bench->whole, 1),
           memory_of(bench, &bench->whole, bench->kernel_count));
    printf("%-50s %10.0f %10.0f\n", "parts", memory_of(bench, &bench->parts, 1),
           memory_of(bench, &bench->parts, bench->kernel_count));
}

static void read_cubins(struct side *side)
{
    side->cubins = calloc(side->part_count, sizeof(void *));
    MUST(!side->cubins);
    for (uint32_t i = 0; i < side->part_count; i++) {
        cubinet_part_info part = {.size = sizeof(part)};
        MUST(cubinet_archive_get_part(side->archive, side->module, side->image, i, &part));
        side->cubins[i] = calloc(1, (size_t)part.raw_size + 1);
        MUST(!side->cubins[i]);
        MUST(cubinet_archive_read_part(side->archive, side->module, side->image, i, side->cubins[i],
                                       (size_t)part.raw_size));
    }
}

/* Opens an archive, and finds the image that the device takes. */
static void open_side(const struct bench *bench, const char *path, struct side *side)
{
    cubinet_device_profile profile = {.size = sizeof(profile)};
    cubinet_image_info image = {.size = sizeof(image)};
    side->path = path;
    side->info.size = sizeof(side->info);
    MUST_OF(path, cubinet_archive_open(path, NULL, &side->archive));
    MUST_OF(path, cubinet_archive_find_module(side->archive, bench->module, &side->module));
    MUST(cubinet_archive_get_module(side->archive, side->module, &side->info));
    MUST(cubinet_driver_get_profile(bench->driver, 0, &profile));
    MUST_OF(path, cubinet_archive_select_image(side->archive, side->module, &profile, NULL, &side->image));
    MUST(cubinet_archive_get_image(side->archive, side->module, side->image, &image));
    side->part_count = image.part_count;
    read_cubins(side);
}

static void close_side(struct side *side)
{
    for (uint32_t i = 0; i < side->part_count; i++) {
        free(side->cubins[i]);
    }
    free(side->cubins);
    cubinet_archive_close(side->archive);
}

/* All names, the one that is asked for alone first. */
static void list_kernels(struct bench *bench, const char *first)
{
    uint32_t number = 0;
    cubinet_kernel_info kernel = {.size = sizeof(kernel)};
    const struct side *side = &bench->parts;
    MUST_OF(first, cubinet_archive_find_kernel(side->archive, side->module, first, &number));
    MUST(cubinet_archive_find_part(side->archive, side->module, side->image, number, &bench->part));
    bench->kernel_count = side->info.kernel_count;
    bench->kernels = calloc(bench->kernel_count, sizeof(char *));
    MUST(!bench->kernels);
    for (uint32_t i = 0; i < bench->kernel_count; i++) {
        uint32_t from = i == 0 ? number : i <= number ? i - 1 : i;
        MUST(cubinet_archive_get_kernel(side->archive, side->module, from, &kernel));
        bench->kernels[i] = kernel.name;
    }
}

int main(int argc, char **argv)
{
    struct bench bench = {0};
    CUcontext context = NULL;
    if (argc != 5) {
        fputs("usage: bench_parts WHOLE PARTS MODULE KERNEL\n", stderr);
        return 2;
    }
    bench.module = argv[3];
    MUST(cubinet_driver_open(NULL, &bench.driver));
    find_calls(&bench);
    MUST(bench.calls.cuDevicePrimaryCtxRetain(&context, 0));
    MUST(bench.calls.cuCtxPushCurrent(context));
    open_side(&bench, argv[1], &bench.whole);
    open_side(&bench, argv[2], &bench.parts);
    MUST_OF("the first archive has parts", bench.whole.part_count != 1);
    MUST_OF("the second archive has no parts", bench.parts.part_count == 1);
    list_kernels(&bench, argv[4]);
    time_all(&bench);
    print(&bench);
    close_side(&bench.whole);
    close_side(&bench.parts);
    free(bench.kernels);
    cubinet_driver_close(bench.driver);
    return 0;
}
