/* SPDX-License-Identifier: Apache-2.0 */
/* How long the cache takes: building a key as a link has one, a repeat in memory, an entry from a warm disk,
 * and storing one. For each size the best of several rounds.
 *
 *     bench_cache FOLDER
 *
 * FOLDER is created, and what is put there is removed again. */
#include "loader/cache/cache.h"

#include <cubinet/cache.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 20, REPEATS = 20000, PIECES = 4 };

static const size_t sizes[] = {10000, 200000, 24000000};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void check(cubinet_status status)
{
    if (status) {
        fprintf(stderr, "bench_cache: %s\n", cubinet_error_message());
        exit(1);
    }
}

static cubinet_cache *open_cache(const char *folder)
{
    const cubinet_cache_options options = {.size = sizeof(options),
                                           .directory = folder,
                                           .shared_directory = "",
                                           .flags = CUBINET_CACHE_REQUIRE_DIRECTORY};
    cubinet_cache *cache = NULL;
    check(cubinet_cache_open(&options, &cache));
    return cache;
}

static struct cbn_cache_key make_key(size_t number)
{
    static const unsigned char digest[32] = {1, 2, 3};
    struct cbn_cache_key key;
    cbn_cache_key_start(&key, "bench");
    for (int i = 0; i < PIECES; i++) {
        cbn_cache_key_add_bytes(&key, "piece", digest, sizeof(digest));
    }
    cbn_cache_key_add_text(&key, "arch", "sm_90a");
    cbn_cache_key_add_text(&key, "option", "-lineinfo");
    cbn_cache_key_add_u64(&key, "number", number);
    check(cbn_cache_key_finish(&key));
    return key;
}

static cubinet_status make(void *user, void **out_data, size_t *out_size)
{
    *out_size = *(const size_t *)user;
    *out_data = calloc(1, *out_size);
    return *out_data ? CUBINET_OK : CUBINET_ERROR_OUT_OF_MEMORY;
}

/* Microseconds of one call that memory has nothing for. */
static double obtain(const char *folder, const struct cbn_cache_key *key, size_t size)
{
    cubinet_cache *cache = open_cache(folder);
    struct cbn_blob *blob = NULL;
    double start = now();
    check(cbn_cache_obtain(cache, key, make, &size, NULL, &blob));
    double took = now() - start;
    cbn_blob_release(blob);
    cubinet_cache_close(cache);
    return took;
}

/* Microseconds of a repeat in memory, with its key built anew each time or once. */
static double repeat(const char *folder, size_t size, size_t number, int builds_key)
{
    cubinet_cache *cache = open_cache(folder);
    struct cbn_cache_key key = make_key(number);
    struct cbn_blob *blob = NULL;
    double start = 0;
    for (int i = 0; i <= REPEATS; i++) {
        if (builds_key) {
            cbn_cache_key_free(&key);
            key = make_key(number);
        }
        check(cbn_cache_obtain(cache, &key, make, &size, NULL, &blob));
        cbn_blob_release(blob);
        start = i == 0 ? now() : start; /* after the first, which is not from memory */
    }
    double took = (now() - start) / REPEATS;
    cbn_cache_key_free(&key);
    cubinet_cache_close(cache);
    return took;
}

static double best_of(double best, double took)
{
    return best == 0 || took < best ? took : best;
}

static void measure(const char *folder, size_t size, size_t number)
{
    double stored = 0, disk = 0, memory = 0, memory_and_key = 0;
    struct cbn_cache_key key = make_key(number);
    for (int i = 0; i < ROUNDS; i++) {
        cubinet_cache *cache = open_cache(folder);
        check(cubinet_cache_clear(cache, NULL));
        cubinet_cache_close(cache);
        stored = best_of(stored, obtain(folder, &key, size));
        disk = best_of(disk, obtain(folder, &key, size));
    }
    for (int i = 0; i < ROUNDS; i++) {
        memory = best_of(memory, repeat(folder, size, number, 0));
        memory_and_key = best_of(memory_and_key, repeat(folder, size, number, 1));
    }
    printf("%8zu bytes: stored in %.0f us, from disk in %.1f us, from memory in %.3f us, with its key in "
           "%.3f us\n",
           size, stored, disk, memory, memory_and_key);
    cbn_cache_key_free(&key);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: bench_cache FOLDER\n", stderr);
        return 2;
    }
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        measure(argv[1], sizes[i], i);
    }
    cubinet_cache *cache = open_cache(argv[1]);
    check(cubinet_cache_clear(cache, NULL));
    cubinet_cache_close(cache);
    return 0;
}
