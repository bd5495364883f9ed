/* SPDX-License-Identifier: Apache-2.0 */
/* How long it takes to look up a tuned launch: nanoseconds for a call, the median of several rounds
 * and the least, which other programs disturb less.
 *
 *     bench_tune_lookup [CALLS]
 *
 * It makes an archive of one PTX kernel with tuning records for the first GPU, and removes it again. Without
 * a GPU, let CUBINET_LIBCUDA name the simulated driver: build/release/tests/simdriver/libsimcuda.so. */
#include "archive/archive_writer.h"
#include "measure.h"
#include "ptx/reading/ptx.h"

#include <cubinet/tuning.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 301, NAME_SIZE = 96 };

#define KERNEL "_Z6segsumIfiLi256ELi4EEvPKT_PS0_T0_"

static const char ptx[] =
    "// Cuda compilation tools, release 12.0, V12.0.140\n.version 8.0\n.target sm_50\n"
    ".address_size 64\n.visible .entry " KERNEL "(.param .u64 a, .param .u64 b, .param .u32 n)\n{ ret; }\n";

typedef int name_fn(char *name, int size, int device);

struct bench {
    cubinet_driver *driver;
    cubinet_device_limits limits;
    char gpu[NAME_SIZE];
    char path[32];
    uint32_t extents;
    cubinet_archive *archive;
    cubinet_module *module;
    cubinet_kernel *kernel;
    size_t calls;
};

static void ask_device(struct bench *bench)
{
    void *function = NULL;
    name_fn *get_name;
    bench->limits.size = sizeof(bench->limits);
    MUST(cubinet_driver_get_limits(bench->driver, 0, &bench->limits));
    MUST(cubinet_driver_get_proc_address(bench->driver, "cuDeviceGetName", &function));
    memcpy(&get_name, &function, sizeof(get_name));
    MUST(get_name(bench->gpu, NAME_SIZE, 0));
}

/* Extents from 1,000 on, each 1.5 times the one before, or in two dimensions. */
static cubinet_tuning make_record(const struct bench *bench, uint32_t number)
{
    uint64_t x = 1000;
    for (uint32_t i = 0; i < number; i++) {
        x += x / 2;
    }
    return (cubinet_tuning){.size = sizeof(cubinet_tuning),
                            .what = KERNEL,
                            .kernel = KERNEL,
                            .default_kernel = KERNEL,
                            .gpu = bench->gpu,
                            .compute =
                                (uint32_t)(10 * bench->limits.compute_major + bench->limits.compute_minor),
                            .multiprocessor_count = bench->limits.multiprocessor_count,
                            .extent = {x, 1, 1},
                            .target = {CUBINET_IMAGE_PTX, 50, 0},
                            .block = {128, 1, 1},
                            .grid_rule = CUBINET_GRID_PER_BLOCK,
                            .grid_value = {500, 1, 1},
                            .grid_limit = {2048, 0, 0},
                            .time_ns = 1000,
                            .candidate_count = 1,
                            .driver_version = 13000};
}

static void file_archive(struct bench *bench)
{
    struct draft draft = {0};
    struct contents contents = {0};
    struct draft_module *module = draft_module(&draft, "bench");
    unsigned char *text = (unsigned char *)strdup(ptx);
    const struct archive_writer_options options = {0};
    cubinet_archive *plain = NULL;
    uint8_t digest[16];
    MUST(!module || !text);
    MUST(ptx_read(ptx, strlen(ptx), &contents));
    MUST(draft_add_image(module, contents.target, text, strlen(ptx), &contents, "bench", NULL));
    contents_free(&contents);
    MUST(archive_write_file(&draft, &options, bench->path));
    MUST(cubinet_archive_open(bench->path, NULL, &plain));
    MUST(cubinet_archive_get_code_digest(plain, 0, 0, 0, digest));
    cubinet_archive_close(plain);
    for (uint32_t i = 0; i < bench->extents; i++) {
        cubinet_tuning record = make_record(bench, i);
        memcpy(record.digest, digest, sizeof(digest));
        MUST(draft_put_valid_tuning(module, &record));
    }
    MUST(archive_write_file(&draft, &options, bench->path));
    draft_free(&draft);
}

/* An extent of that number: a measured one, or one right after. */
static void set_extent(const struct bench *bench, size_t number, bool is_exact, uint64_t extent[3])
{
    cubinet_tuning record = make_record(bench, (uint32_t)(number % (bench->extents - 1)));
    extent[0] = record.extent[0] + (is_exact ? 0 : 7);
    extent[1] = extent[2] = 1;
}

static void look_up(const struct bench *bench, const uint64_t extent[3], uint32_t source)
{
    cubinet_kernel *kernel = NULL;
    cubinet_launch_config config = {.size = sizeof(config)};
    cubinet_tuned_info info = {.size = sizeof(info)};
    MUST(cubinet_module_get_tuned(bench->module, KERNEL, extent, NULL, &kernel, &config, &info));
    MUST(kernel != bench->kernel || info.source != source);
}

static void suggest(const struct bench *bench, const uint64_t extent[3], uint32_t source)
{
    cubinet_launch_config config = {.size = sizeof(config)};
    (void)source;
    MUST(cubinet_kernel_suggest_launch(bench->kernel, extent, NULL, &config, NULL));
    MUST(config.block[0] != 128);
}

typedef void call_fn(const struct bench *bench, const uint64_t extent[3], uint32_t source);

static void measure(const struct bench *bench, const char *what, call_fn *call, bool is_exact)
{
    enum { DISTINCT = 64 };
    uint64_t extents[DISTINCT][3];
    double times[ROUNDS];
    const uint32_t source = is_exact ? CUBINET_TUNED_EXACT : CUBINET_TUNED_NEAREST;
    for (size_t i = 0; i < DISTINCT; i++) {
        set_extent(bench, i, is_exact, extents[i]);
    }
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        for (size_t i = 0; i < bench->calls; i++) {
            call(bench, extents[i % DISTINCT], source);
        }
        times[round] = (now() - start) * 1000 / (double)bench->calls;
    }
    double median = median_of(times, ROUNDS); /* which sorts them */
    printf("%3u extents: %-48s %7.1f ns, at least %.1f\n", bench->extents, what, median, times[0]);
}

static void run(struct bench *bench, uint32_t extents)
{
    bench->extents = extents;
    file_archive(bench);
    MUST(cubinet_archive_open(bench->path, NULL, &bench->archive));
    MUST(cubinet_module_load(bench->driver, bench->archive, "bench", 0, NULL, &bench->module));
    MUST(cubinet_module_find_kernel(bench->module, KERNEL, &bench->kernel));
    measure(bench, "cubinet_module_get_tuned, a measured extent", look_up, true);
    measure(bench, "cubinet_module_get_tuned, the nearest", look_up, false);
    measure(bench, "cubinet_kernel_suggest_launch, a measured extent", suggest, true);
    measure(bench, "cubinet_kernel_suggest_launch, the nearest", suggest, false);
    MUST(cubinet_module_unload(bench->module));
    cubinet_archive_close(bench->archive);
}

int main(int argc, char **argv)
{
    struct bench bench = {.path = "/tmp/cubinet-bench-XXXXXX",
                          .calls = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 5000};
    int file = mkstemp(bench.path);
    MUST(file < 0 || bench.calls == 0);
    close(file);
    MUST(cubinet_driver_open(NULL, &bench.driver));
    ask_device(&bench);
    printf("%s, %u multiprocessors\n", bench.gpu, bench.limits.multiprocessor_count);
    run(&bench, 8);
    run(&bench, 32);
    run(&bench, 64);
    unlink(bench.path);
    cubinet_driver_close(bench.driver);
    return 0;
}
