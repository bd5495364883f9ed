/* SPDX-License-Identifier: Apache-2.0 */
/* Many threads at one cache. Says most under the thread sanitizer. */
#include "cache_fixture.h"
#include "unit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 16, KEYS = 24, SIZE = 2000, ROUNDS = 40 };

struct shared {
    cubinet_cache *cache;
    pthread_barrier_t barrier;
    atomic_int makes;
    atomic_int failures;   /* cmocka's assertions are for the main thread */
    atomic_int fail_first; /* how many makes are to fail */
};

struct request {
    struct shared *shared;
    struct product product;
};

static cubinet_status make_slowly(void *data, void **out_data, size_t *out_size)
{
    struct request *request = data;
    atomic_fetch_add(&request->shared->makes, 1);
    usleep(5000);
    if (atomic_fetch_sub(&request->shared->fail_first, 1) > 0) {
        return CUBINET_ERROR_LINK;
    }
    return make_product(&request->product, out_data, out_size);
}

static cubinet_status obtain_slowly(struct shared *shared, uint64_t number)
{
    struct request request = {.shared = shared, .product = {.number = number, .size = SIZE}};
    struct cbn_cache_key key = numbered_key(number);
    struct cbn_blob *blob = NULL;
    cubinet_status status = cbn_cache_obtain(shared->cache, &key, make_slowly, &request, NULL, &blob);
    if (!status && !is_product(blob, number, SIZE)) {
        atomic_fetch_add(&shared->failures, 1);
    }
    cbn_blob_release(blob);
    cbn_cache_key_free(&key);
    return status;
}

static void run_threads(struct shared *shared, void *(*work)(void *))
{
    pthread_t threads[THREADS];
    assert_int_equal(pthread_barrier_init(&shared->barrier, NULL, THREADS), 0);
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, work, shared), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    pthread_barrier_destroy(&shared->barrier);
}

static void *ask_for_one(void *data)
{
    struct shared *shared = data;
    pthread_barrier_wait(&shared->barrier);
    if (obtain_slowly(shared, 1) != CUBINET_OK) {
        atomic_fetch_add(&shared->failures, 1);
    }
    return NULL;
}

static void threads_that_need_the_same_make_it_once(void **state)
{
    const char *const directories[] = {*state, ""};
    for (size_t i = 0; i < COUNT(directories); i++) {
        const cubinet_cache_options options = {
            .size = sizeof(options), .directory = directories[i], .shared_directory = ""};
        struct shared shared = {0};
        assert_int_equal(cubinet_cache_open(&options, &shared.cache), CUBINET_OK);
        run_threads(&shared, ask_for_one);
        assert_int_equal(shared.failures, 0);
        assert_int_equal(shared.makes, 1);
        cubinet_cache_stats stats = stats_of(shared.cache);
        assert_int_equal(stats.misses, 1);
        assert_int_equal(stats.memory_hits, THREADS - 1);
        cubinet_cache_close(shared.cache);
    }
}

static void *ask_though_it_fails(void *data)
{
    struct shared *shared = data;
    pthread_barrier_wait(&shared->barrier);
    if (obtain_slowly(shared, 2) == CUBINET_ERROR_LINK) {
        atomic_fetch_add(&shared->failures, 1);
    }
    return NULL;
}

/* A failure is for who made it; the next one tries for itself. */
static void a_failure_is_not_shared(void **state)
{
    struct shared shared = {.cache = open_cache(*state), .fail_first = 3};
    run_threads(&shared, ask_though_it_fails);
    assert_int_equal(shared.failures, 3);
    assert_int_equal(shared.makes, 4);
    cubinet_cache_close(shared.cache);
}

static void *ask_for_many(void *data)
{
    struct shared *shared = data;
    unsigned seed = (unsigned)pthread_barrier_wait(&shared->barrier) + (unsigned)(uintptr_t)&seed;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t number = (uint64_t)rand_r(&seed) % KEYS;
        int source = obtain(shared->cache, number, SIZE);
        if (source < 0) {
            atomic_fetch_add(&shared->failures, 1);
        }
        cubinet_cache_usage usage = {.size = sizeof(usage)};
        if (round % 8 == 0 && (cubinet_cache_get_usage(shared->cache, &usage) != CUBINET_OK ||
                               cubinet_cache_trim(shared->cache, SIZE * 4, NULL) != CUBINET_OK)) {
            atomic_fetch_add(&shared->failures, 1);
        }
    }
    return NULL;
}

/* Memory and folder too small for all of it, two caches on one folder, and trimming all the while. */
static void everything_at_once(void **state)
{
    const cubinet_cache_options options = {.size = sizeof(options),
                                           .directory = *state,
                                           .shared_directory = "",
                                           .disk_limit_bytes = SIZE * 10,
                                           .memory_limit_bytes = SIZE * 5};
    struct shared shared = {0};
    assert_int_equal(cubinet_cache_open(&options, &shared.cache), CUBINET_OK);
    run_threads(&shared, ask_for_many);
    assert_int_equal(shared.failures, 0);
    cubinet_cache_stats stats = stats_of(shared.cache);
    assert_int_equal(stats.memory_hits + stats.disk_hits + stats.misses, THREADS * ROUNDS);
    assert_int_equal(stats.damaged, 0);
    assert_int_equal(stats.store_failures, 0);
    assert_true(stats.memory_bytes <= options.memory_limit_bytes);
    cubinet_cache_usage usage = {.size = sizeof(usage)};
    assert_int_equal(cubinet_cache_get_usage(shared.cache, &usage), CUBINET_OK);
    assert_true(usage.bytes <= options.disk_limit_bytes);
    assert_int_equal(count_files(*state, "tmp-"), 0);
    cubinet_cache_close(shared.cache);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, folder_create, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(threads_that_need_the_same_make_it_once),
        TEST(a_failure_is_not_shared),
        TEST(everything_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
