/* SPDX-License-Identifier: Apache-2.0 */
/* Archives of many modules: what opening one costs, and how reading from one scales with threads. No GPU.
 *
 *     bench_scale make SOURCE MODULES HOW OUT   files SOURCE's modules, and altered copies of their images
 * under other names until there are MODULES; HOW is 0 to store images as they are, or a level of zstd
 *     bench_scale open ARCHIVE...               time of opening and closing, and memory that stays resident
 *     bench_scale path PATHS MODULE             time of opening a search path, and of finding a module on it
 *     bench_scale read ARCHIVE THREADS          images read in a second by one thread and by THREADS, each of
 *                                               modules of its own
 */
#include "archive/archive_writer.h"
#include "archive/draft.h"

#include <cubinet/catalog.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { OPENINGS = 501, READ_SECONDS = 2, MAX_THREADS = 64 };

static void must(cubinet_status status)
{
    if (status) {
        fprintf(stderr, "bench_scale: %s\n", cubinet_error_message());
        exit(1);
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static cubinet_archive *open_archive(const char *path)
{
    cubinet_archive *archive = NULL;
    must(cubinet_archive_open(path, NULL, &archive));
    return archive;
}

/* Changes a byte in one instruction of 32, or a digit in one line of so many: about as much as another
 * instance of the same template differs. What comes out takes room and no driver would run it. */
static void alter(unsigned char *data, size_t size, cubinet_image_kind kind, uint32_t seed)
{
    for (size_t at = 1024; at + 16 <= size; at += 16) {
        seed = seed * 1664525 + 1013904223;
        if (seed >> 27 != 0) {
            continue;
        }
        unsigned char *byte = &data[at + (seed >> 20) % 8];
        if (kind != CUBINET_IMAGE_PTX) {
            *byte = (unsigned char)(seed >> 12);
        } else if (*byte >= '0' && *byte <= '9') {
            *byte = (unsigned char)('0' + (seed >> 12) % 10);
        }
    }
}

/* Bytes that may be altered: those in a mapped file may not. */
static void own_bytes(struct draft_image *image)
{
    if (!image->owned) {
        image->owned = malloc(image->size);
        image->data = memcpy(image->owned, image->data, image->size);
    }
}

/* Adds the module of SOURCE that it is the turn of once more. */
static void add_copy(struct draft *draft, const cubinet_archive *source, uint32_t number)
{
    struct draft one = {0};
    must(draft_add_archive_module(&one, source, number % cubinet_archive_get_module_count(source), "source"));
    char name[32];
    snprintf(name, sizeof(name), "filler_%05u", number);
    struct draft_module *to = draft_module(draft, name);
    free(one.modules[0].name);
    one.modules[0].name = to->name;
    *to = one.modules[0];
    free(one.modules);
    for (size_t i = 0; i < to->image_count; i++) {
        own_bytes(&to->images[i]);
        alter(to->images[i].owned, to->images[i].size, to->images[i].target.kind, number * 131 + (uint32_t)i);
    }
}

static void make(const char *from, uint32_t modules, int level, const char *to)
{
    cubinet_archive *source = open_archive(from);
    struct draft draft = {0};
    must(draft_add_archive(&draft, source, from));
    for (uint32_t i = cubinet_archive_get_module_count(source); i < modules; i++) {
        add_copy(&draft, source, i);
    }
    const struct archive_writer_options options = {.zstd_level = level};
    must(archive_write_file(&draft, &options, to));
    draft_free(&draft);
    cubinet_archive_close(source);
}

static long resident_kib(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1) {
        exit(1);
    }
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE) / 1024;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void time_opening(const char *path)
{
    static double times[OPENINGS];
    for (int i = 0; i < OPENINGS; i++) {
        double start = now();
        cubinet_archive *archive = open_archive(path);
        times[i] = now() - start;
        cubinet_archive_close(archive);
    }
    qsort(times, OPENINGS, sizeof(*times), by_value);
    long before = resident_kib();
    cubinet_archive *archive = open_archive(path);
    long after = resident_kib();
    cubinet_archive_info info = {.size = sizeof(info)};
    must(cubinet_archive_get_info(archive, &info));
    printf("%8u modules %12llu bytes %10u of index %9.1f us to open %6ld KiB resident  %s\n",
           cubinet_archive_get_module_count(archive), (unsigned long long)info.archive_size, info.index_size,
           times[OPENINGS / 2] * 1e6, after - before, path);
    cubinet_archive_close(archive);
}

static cubinet_catalog *open_path(const char *paths)
{
    const cubinet_catalog_options options = {.size = sizeof(options),
                                             .flags = CUBINET_CATALOG_NO_ENVIRONMENT};
    cubinet_catalog *catalog = NULL;
    must(cubinet_catalog_open(paths, &options, &catalog));
    return catalog;
}

static void time_path(const char *paths, const char *module)
{
    static double opening[OPENINGS], finding[OPENINGS];
    uint32_t count = 0;
    for (int i = 0; i < OPENINGS; i++) {
        double start = now();
        cubinet_catalog *catalog = open_path(paths);
        double opened = now();
        must(cubinet_catalog_find_module(catalog, module, NULL, NULL));
        finding[i] = now() - opened;
        opening[i] = opened - start;
        count = cubinet_catalog_get_entry_count(catalog);
        cubinet_catalog_close(catalog);
    }
    qsort(opening, OPENINGS, sizeof(*opening), by_value);
    qsort(finding, OPENINGS, sizeof(*finding), by_value);
    printf("%8u archives %9.1f us to open %9.2f us to find %s\n", count, opening[OPENINGS / 2] * 1e6,
           finding[OPENINGS / 2] * 1e6, module);
}

/* One of several that read at the same time. */
struct reader {
    const cubinet_archive *archive;
    uint32_t first;
    uint32_t step;
    double end;
    unsigned long images;
    unsigned long bytes;
};

static void read_module(struct reader *reader, uint32_t number)
{
    cubinet_module_info module = {.size = sizeof(module)};
    must(cubinet_archive_get_module(reader->archive, number, &module));
    for (uint32_t i = 0; i < module.image_count; i++) {
        cubinet_image_info image = {.size = sizeof(image)};
        must(cubinet_archive_get_image(reader->archive, number, i, &image));
        void *data = malloc((size_t)image.raw_size);
        must(cubinet_archive_read_image(reader->archive, number, i, data, (size_t)image.raw_size));
        free(data);
        reader->images++;
        reader->bytes += (unsigned long)image.raw_size;
    }
}

static void *run_reader(void *data)
{
    struct reader *reader = data;
    uint32_t count = cubinet_archive_get_module_count(reader->archive);
    for (uint32_t i = reader->first; now() < reader->end; i = (i + reader->step) % count) {
        read_module(reader, i);
    }
    return NULL;
}

/* Images in a second. */
static double read_with(const cubinet_archive *archive, uint32_t threads)
{
    static struct reader readers[MAX_THREADS];
    pthread_t running[MAX_THREADS];
    double start = now();
    for (uint32_t i = 0; i < threads; i++) {
        readers[i] =
            (struct reader){.archive = archive, .first = i, .step = threads, .end = start + READ_SECONDS};
        pthread_create(&running[i], NULL, run_reader, &readers[i]);
    }
    unsigned long images = 0, bytes = 0;
    for (uint32_t i = 0; i < threads; i++) {
        pthread_join(running[i], NULL);
        images += readers[i].images;
        bytes += readers[i].bytes;
    }
    double seconds = now() - start;
    printf("%3u threads: %9.0f images and %8.1f MB in a second\n", threads, (double)images / seconds,
           (double)bytes / seconds / 1e6);
    return (double)images / seconds;
}

static void read_scaled(const char *path, uint32_t threads)
{
    cubinet_archive *archive = open_archive(path);
    double one = read_with(archive, 1);
    double many = read_with(archive, threads);
    printf("%u threads read %.2f times what one does\n", threads, many / one);
    cubinet_archive_close(archive);
}

int main(int argc, char **argv)
{
    if (argc == 6 && strcmp(argv[1], "make") == 0) {
        make(argv[2], (uint32_t)strtoul(argv[3], NULL, 10), atoi(argv[4]), argv[5]);
    } else if (argc > 2 && strcmp(argv[1], "open") == 0) {
        cubinet_archive_close(open_archive(argv[2])); /* so that the code is in memory */
        for (int i = 2; i < argc; i++) {
            time_opening(argv[i]);
        }
    } else if (argc == 4 && strcmp(argv[1], "path") == 0) {
        time_path(argv[2], argv[3]);
    } else if (argc == 4 && strcmp(argv[1], "read") == 0 && strtoul(argv[3], NULL, 10) <= MAX_THREADS) {
        read_scaled(argv[2], (uint32_t)strtoul(argv[3], NULL, 10));
    } else {
        fprintf(stderr,
                "usage: bench_scale make SOURCE MODULES HOW OUT | open ARCHIVE... | path PATHS MODULE | "
                "read ARCHIVE THREADS\n");
        return 2;
    }
    return 0;
}
