/* SPDX-License-Identifier: Apache-2.0 */
/* How long it takes from an open archive to the first function of a kernel that is linked, against the same
 * cubin in an archive. Every round times each way once, so that they share whatever else the machine does;
 * medians and their ratio to the first are printed.
 *
 *     bench_link FINISHED PIECES SKELETON PLUGIN KERNEL CACHE_FOLDER
 *
 * FINISHED is an archive with the linked module, PIECES one with the modules SKELETON and PLUGIN. */
#include "measure.h"

#include <cubinet/cubinet.h>

#include <stdbool.h>
#include <stdio.h>

enum { ROUNDS = 201, LINK_ROUNDS = 21, LOOKUPS = 1000 };

struct bench {
    cubinet_driver *driver;
    cubinet_archive *finished, *pieces;
    const char *pieces_path;
    const char *skeleton, *plugin, *kernel, *folder;
    cubinet_cache *memory; /* that holds the link */
};

/* To the first function, and unloaded again; the time until then. */
static double finish(const struct bench *bench, double start, cubinet_module *module)
{
    cubinet_kernel *kernel = NULL;
    CUfunction function = NULL;
    MUST(cubinet_module_find_kernel(module, bench->kernel, &kernel));
    MUST(cubinet_kernel_get_function(kernel, &function));
    double time = now() - start;
    MUST(cubinet_module_unload(module));
    return time;
}

static double load_finished(const struct bench *bench)
{
    cubinet_module *module = NULL;
    cubinet_module_info info = {.size = sizeof(info)};
    MUST(cubinet_archive_get_module(bench->finished, 0, &info));
    double start = now();
    MUST(cubinet_module_load(bench->driver, bench->finished, info.name, 0, NULL, &module));
    return finish(bench, start, module);
}

static cubinet_link *make_link(const struct bench *bench, const cubinet_archive *pieces, cubinet_cache *cache)
{
    cubinet_link *link = NULL;
    const cubinet_link_options options = {
        .size = sizeof(options), .cache = cache, .flags = !cache ? CUBINET_LINK_NO_CACHE : 0};
    MUST(cubinet_link_create(bench->driver, 0, &options, &link));
    MUST(cubinet_link_add_module(link, pieces, bench->skeleton));
    MUST(cubinet_link_add_module(link, pieces, bench->plugin));
    return link;
}

static double link_with(const struct bench *bench, cubinet_cache *cache)
{
    cubinet_module *module = NULL;
    double start = now();
    cubinet_link *link = make_link(bench, bench->pieces, cache);
    MUST(cubinet_link_complete(link, &module));
    double time = finish(bench, start, module);
    cubinet_link_destroy(link);
    return time;
}

static double link_anew(const struct bench *bench)
{
    return link_with(bench, NULL);
}

static cubinet_cache *open_cache(const struct bench *bench)
{
    cubinet_cache *cache = NULL;
    const cubinet_cache_options options = {.size = sizeof(options), .directory = bench->folder};
    MUST(cubinet_cache_open(&options, &cache));
    return cache;
}

/* A cache that has nothing in memory yet, as in a process that has just started. */
static double link_from_disk(const struct bench *bench)
{
    cubinet_cache *cache = open_cache(bench);
    double time = link_with(bench, cache);
    cubinet_cache_close(cache);
    return time;
}

/* The same with opening the pieces' archive, of which nothing is known yet then. */
static double open_and_link(const struct bench *bench)
{
    cubinet_cache *cache = open_cache(bench);
    cubinet_archive *archive = NULL;
    cubinet_module *module = NULL;
    double start = now();
    MUST(cubinet_archive_open(bench->pieces_path, NULL, &archive));
    cubinet_link *link = make_link(bench, archive, cache);
    MUST(cubinet_link_complete(link, &module));
    double time = finish(bench, start, module);
    cubinet_link_destroy(link);
    cubinet_archive_close(archive);
    cubinet_cache_close(cache);
    return time;
}

static double link_from_memory(const struct bench *bench)
{
    return link_with(bench, bench->memory);
}

/* The cubin alone, once the pieces are together: no driver. */
static double look_up(const struct bench *bench)
{
    const void *data = NULL;
    size_t size = 0;
    double total = 0;
    for (int i = 0; i < LOOKUPS; i++) {
        cubinet_link *link = make_link(bench, bench->pieces, bench->memory);
        double start = now();
        MUST(cubinet_link_get_cubin(link, &data, &size));
        total += now() - start;
        cubinet_link_destroy(link);
    }
    return total / LOOKUPS;
}

static struct way {
    const char *label;
    double (*run)(const struct bench *bench);
    int rounds;
    double times[ROUNDS]; /* microseconds */
} ways[] = {
    {.label = "loaded from the archive", .run = load_finished, .rounds = ROUNDS},
    {.label = "linked, no cache", .run = link_anew, .rounds = LINK_ROUNDS},
    {.label = "linked, from a disk cache", .run = link_from_disk, .rounds = ROUNDS},
    {.label = "the same, with opening the archive", .run = open_and_link, .rounds = ROUNDS},
    {.label = "linked, from a memory cache", .run = link_from_memory, .rounds = ROUNDS},
    {.label = "cubin from the memory cache", .run = look_up, .rounds = ROUNDS},
};

/* Every round times each of these ways once, and starts with another one. */
static void time_ways(const struct bench *bench, struct way *first, size_t count)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < count; i++) {
            struct way *way = &first[(i + (size_t)round) % count];
            if (round < way->rounds) {
                way->times[round] = way->run(bench);
            }
        }
    }
}

int main(int argc, char **argv)
{
    if (argc != 7) {
        fprintf(stderr, "usage: bench_link FINISHED PIECES SKELETON PLUGIN KERNEL CACHE_FOLDER\n");
        return 2;
    }
    struct bench bench = {
        .skeleton = argv[3], .plugin = argv[4], .kernel = argv[5], .folder = argv[6], .pieces_path = argv[2]};
    MUST(cubinet_driver_open(NULL, &bench.driver));
    MUST(cubinet_archive_open(argv[1], NULL, &bench.finished));
    MUST(cubinet_archive_open(argv[2], NULL, &bench.pieces));
    /* Keeps the device's context, so that no round makes one. */
    cubinet_module_info info = {.size = sizeof(info)};
    cubinet_module *stays = NULL;
    MUST(cubinet_archive_get_module(bench.finished, 0, &info));
    MUST(cubinet_module_load(bench.driver, bench.finished, info.name, 0, NULL, &stays));
    bench.memory = open_cache(&bench);
    double first = link_from_memory(&bench); /* fills both caches */
    const size_t count = sizeof(ways) / sizeof(ways[0]);
    /* The last apart: after thousands of look-ups malloc() has a lot to tidy up when it is next asked for a
     * larger block, which would count for whoever asks. */
    time_ways(&bench, ways, count - 1);
    time_ways(&bench, &ways[count - 1], 1);
    printf("%-34s %12.1f us\n", "the first link of the process", first);
    double reference = 0;
    for (size_t i = 0; i < count; i++) {
        struct way *way = &ways[i];
        double median = median_of(way->times, (size_t)way->rounds);
        reference = i == 0 ? median : reference;
        printf("%-34s %12.2f us %10.3f\n", way->label, median, median / reference);
    }
    cubinet_module_unload(stays);
    cubinet_cache_close(bench.memory);
    cubinet_archive_close(bench.pieces);
    cubinet_archive_close(bench.finished);
    cubinet_driver_close(bench.driver);
    return 0;
}
