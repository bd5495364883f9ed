/* SPDX-License-Identifier: Apache-2.0 */
/* Uses kernels of an archive as a program would, and tells what is missing and what recording costs. For
 * used.py.
 *
 *     bench_used use ARCHIVE MODULE KERNEL [MODULE KERNEL]...   gets each kernel's function; KERNEL may be
 * "@TARGET", an image that has to be there. Prints each miss, among them what came from the rest, and fails
 * if there was one bench_used cost ARCHIVE MODULE KERNEL RECORD             microseconds of
 * cubinet_module_find_kernel(), without a record, when it writes an entry, and when it has it
 */
#include "measure.h"

#include <cubinet/cubinet.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 200, LOOK_UPS = 1000 };

static int misses;

static void miss(const char *module, const char *what)
{
    misses++;
    printf("miss: module '%s', %s: %s\n", module, what, cubinet_error_message());
}

/* The loader says so when it turns to the rest of an archive. */
static void watch(void *user, cubinet_log_level level, const char *message)
{
    (void)user;
    (void)level;
    if (strstr(message, "comes from the rest")) {
        misses++;
        printf("miss: %s\n", message);
    }
}

static bool has_image(const cubinet_archive *archive, const char *name, const char *target)
{
    uint32_t module = 0;
    cubinet_module_info info = {.size = sizeof(info)};
    bool is_found = false;
    if (cubinet_archive_find_module(archive, name, &module) ||
        cubinet_archive_get_module(archive, module, &info)) {
        return false;
    }
    for (uint32_t i = 0; i < info.image_count; i++) {
        char text[CUBINET_TARGET_NAME_SIZE];
        cubinet_image_info image = {.size = sizeof(image)};
        is_found = is_found || (!cubinet_archive_get_image(archive, module, i, &image) &&
                                strcmp(cubinet_target_name(image.target, text), target) == 0);
    }
    return is_found;
}

static void use(const cubinet_driver *driver, const cubinet_archive *archive, const char *name,
                const char *what)
{
    cubinet_module *module = NULL;
    cubinet_kernel *kernel = NULL;
    CUfunction function = NULL;
    if (what[0] == '@') {
        if (!has_image(archive, name, what + 1)) {
            miss(name, what);
        }
        return;
    }
    if (cubinet_module_load(driver, archive, name, 0, NULL, &module) ||
        cubinet_module_find_kernel(module, what, &kernel) || cubinet_kernel_get_function(kernel, &function)) {
        miss(name, what);
    }
    cubinet_module_unload(module);
}

static int use_all(const char *path, char **names, int count)
{
    const cubinet_driver_options options = {.size = sizeof(options), .log = watch};
    cubinet_driver *driver = NULL;
    cubinet_archive *archive = NULL;
    if (cubinet_driver_open(&options, &driver) || cubinet_archive_open(path, NULL, &archive)) {
        fprintf(stderr, "bench_used: %s\n", cubinet_error_message());
        cubinet_driver_close(driver);
        return EXIT_FAILURE;
    }
    for (int i = 0; i + 1 < count; i += 2) {
        use(driver, archive, names[i], names[i + 1]);
    }
    printf("%d used, %d missed\n", count / 2, misses);
    cubinet_archive_close(archive);
    cubinet_driver_close(driver);
    return misses ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Medians of the first look-up and of later ones, in microseconds. */
static bool measure(const cubinet_archive *archive, char **names, const char *record, bool is_new)
{
    double first[ROUNDS];
    double later[ROUNDS];
    for (size_t i = 0; i < ROUNDS; i++) {
        if (is_new) {
            remove(record);
        }
        const cubinet_driver_options options = {.size = sizeof(options), .record = record};
        cubinet_driver *driver = NULL;
        cubinet_module *module = NULL;
        cubinet_kernel *kernel = NULL;
        if (cubinet_driver_open(&options, &driver) ||
            cubinet_module_load(driver, archive, names[0], 0, NULL, &module)) {
            fprintf(stderr, "bench_used: %s\n", cubinet_error_message());
            return false;
        }
        double start = now();
        bool ok = !cubinet_module_find_kernel(module, names[1], &kernel);
        first[i] = now() - start;
        start = now();
        for (int j = 0; j < LOOK_UPS; j++) {
            ok = !cubinet_module_find_kernel(module, names[1], &kernel) && ok;
        }
        later[i] = (now() - start) / LOOK_UPS;
        cubinet_module_unload(module);
        cubinet_driver_close(driver);
        if (!ok) {
            return false;
        }
    }
    printf("%-28s first %7.2f us, later %7.3f us\n",
           !record[0] ? "nothing is recorded"
           : is_new   ? "the entry is written"
                      : "the record has it",
           median_of(first, ROUNDS), median_of(later, ROUNDS));
    return true;
}

static int cost(const char *path, char **names, const char *record)
{
    cubinet_archive *archive = NULL;
    if (cubinet_archive_open(path, NULL, &archive)) {
        fprintf(stderr, "bench_used: %s\n", cubinet_error_message());
        return EXIT_FAILURE;
    }
    bool ok = measure(archive, names, "", false) && measure(archive, names, record, true) &&
              measure(archive, names, record, false);
    cubinet_archive_close(archive);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    if (argc >= 5 && argc % 2 == 1 && strcmp(argv[1], "use") == 0) {
        return use_all(argv[2], argv + 3, argc - 3);
    }
    if (argc == 6 && strcmp(argv[1], "cost") == 0) {
        return cost(argv[2], argv + 3, argv[5]);
    }
    fprintf(stderr, "usage: bench_used use ARCHIVE MODULE KERNEL... | cost ARCHIVE MODULE KERNEL RECORD\n");
    return 2;
}
