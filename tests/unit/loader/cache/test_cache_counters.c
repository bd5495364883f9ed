/* SPDX-License-Identifier: Apache-2.0 */
/* What processes count together, and when a folder is looked through. */
#include "cache_fixture.h"
#include "loader/cache/cache_counters.h"
#include "loader/cache/cache_state.h"
#include "unit.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t value(const cubinet_cache *cache, enum cbn_cache_counter counter)
{
    struct cbn_cache_counters counters;
    assert_int_equal(cbn_cache_counters_read(&cache->own, &counters), 0);
    return counters.values[counter];
}

static void processes_that_count_at_once_lose_nothing(void **state)
{
    enum { PROCESSES = 4, EACH = 250 };
    pid_t children[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork_process();
        if (children[i] == 0) {
            cubinet_cache *cache = open_cache(*state);
            for (int j = 0; j < EACH; j++) {
                cbn_cache_counters_add(&cache->own, CBN_COUNT_HITS);
            }
            cubinet_cache_close(cache);
            _exit(0);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        assert_int_equal(end_of(children[i]), 0);
    }
    cubinet_cache *cache = open_cache(*state);
    assert_int_equal(value(cache, CBN_COUNT_HITS), PROCESSES * EACH);
    cubinet_cache_close(cache);
}

static void damage_counts_from_nothing(void **state)
{
    char path[PATH_SIZE];
    cubinet_cache *cache = open_cache(*state);
    cbn_cache_counters_add(&cache->own, CBN_COUNT_HITS);
    int fd = open(path_below(*state, "counters", path), O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, "x", 1, 40), 1);
    close(fd);
    assert_int_equal(value(cache, CBN_COUNT_HITS), 0);
    cbn_cache_counters_add(&cache->own, CBN_COUNT_HITS);
    assert_int_equal(value(cache, CBN_COUNT_HITS), 1);
    assert_true(value(cache, CBN_COUNT_SINCE) > 0);
    cubinet_cache_close(cache);
}

/* Earlier releases know fewer counters, and write those alone: what they count is kept, and what they don't.
 */
static void earlier_releases_count_beside(void **state)
{
    enum { EARLIER_SIZE = 8 + CBN_DIGEST_SIZE + 8 * CBN_COUNTERS_BEFORE_CODE };
    char path[PATH_SIZE];
    unsigned char earlier[EARLIER_SIZE];
    cubinet_cache *cache = open_cache(*state);
    cbn_cache_counters_add(&cache->own, CBN_COUNT_HITS);
    int fd = open(path_below(*state, "counters", path), O_RDWR | O_CLOEXEC);
    assert_int_equal(pread(fd, earlier, EARLIER_SIZE, 0), EARLIER_SIZE);
    cbn_cache_counters_add(&cache->own, CBN_COUNT_CODE_HITS);
    cbn_cache_counters_add(&cache->own, CBN_COUNT_HITS);
    assert_int_equal(pwrite(fd, earlier, EARLIER_SIZE, 0), EARLIER_SIZE);
    assert_int_equal(value(cache, CBN_COUNT_HITS), 1);
    assert_int_equal(value(cache, CBN_COUNT_CODE_HITS), 1);

    assert_int_equal(ftruncate(fd, EARLIER_SIZE), 0);
    assert_int_equal(value(cache, CBN_COUNT_HITS), 1);
    assert_int_equal(value(cache, CBN_COUNT_CODE_HITS), 0);
    cbn_cache_counters_add(&cache->own, CBN_COUNT_CODE_HITS);
    assert_int_equal(value(cache, CBN_COUNT_HITS), 1);
    assert_int_equal(value(cache, CBN_COUNT_CODE_HITS), 1);
    close(fd);
    cubinet_cache_close(cache);
}

/* The first entry of a folder that nobody counted has it looked through; the following ones do not. */
static void few_entries_have_the_folder_looked_through(void **state)
{
    for (uint64_t i = 1; i <= 60; i++) {
        assert_int_equal(obtain_anew(*state, i, 100), CBN_CACHE_MADE);
    }
    cubinet_cache *cache = open_cache(*state);
    cubinet_cache_usage usage = {.size = sizeof(usage)};
    assert_int_equal(cubinet_cache_get_usage(cache, &usage), CUBINET_OK);
    assert_int_equal(value(cache, CBN_COUNT_SWEEPS), 1);
    assert_int_equal(value(cache, CBN_COUNT_ENTRIES), 60);
    assert_int_equal(value(cache, CBN_COUNT_BYTES), usage.bytes);
    cubinet_cache_close(cache);
}

/* What another version wrote, or a process that was killed before it counted, is found in time. */
static void what_was_not_counted_is_found(void **state)
{
    char path[PATH_SIZE];
    for (uint64_t i = 1; i <= 40; i++) {
        assert_int_equal(obtain_anew(*state, i, 100), CBN_CACHE_MADE);
    }
    cubinet_cache *cache = open_cache(*state);
    uint64_t bytes = value(cache, CBN_COUNT_BYTES);
    cubinet_cache_close(cache);
    assert_int_equal(unlink(path_below(*state, "counters", path)), 0);
    cache = open_cache(*state);
    assert_int_equal(obtain(cache, 41, 100), CBN_CACHE_MADE);
    assert_true(value(cache, CBN_COUNT_BYTES) > bytes);
    assert_int_equal(value(cache, CBN_COUNT_ENTRIES), 41);

    /* Entries that others remove make it look too large, and that is corrected as well. */
    assert_int_equal(cubinet_cache_trim(cache, bytes / 2, NULL), CUBINET_OK);
    assert_true(value(cache, CBN_COUNT_BYTES) <= bytes / 2);
    uint64_t sweeps = value(cache, CBN_COUNT_SWEEPS);
    for (uint64_t i = 100; i < 180; i++) {
        assert_int_equal(obtain(cache, i, 100), CBN_CACHE_MADE);
    }
    assert_int_equal(value(cache, CBN_COUNT_SWEEPS), sweeps + 1);
    cubinet_cache_close(cache);
}

/* Processes one after another keep to the limit although none of them looks at all that is there. */
static void one_entry_a_process_keeps_to_the_limit(void **state)
{
    enum { LIMIT = 20000 };
    for (uint64_t i = 1; i <= 100; i++) {
        cubinet_cache *cache = open_limited(*state, LIMIT);
        assert_int_equal(obtain(cache, i, 500), CBN_CACHE_MADE);
        cubinet_cache_usage usage = {.size = sizeof(usage)};
        assert_int_equal(cubinet_cache_get_usage(cache, &usage), CUBINET_OK);
        assert_true(usage.bytes <= LIMIT);
        cubinet_cache_close(cache);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(processes_that_count_at_once_lose_nothing, folder_create,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(damage_counts_from_nothing, folder_create, folder_remove),
        cmocka_unit_test_setup_teardown(earlier_releases_count_beside, folder_create, folder_remove),
        cmocka_unit_test_setup_teardown(few_entries_have_the_folder_looked_through, folder_create,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(what_was_not_counted_is_found, folder_create, folder_remove),
        cmocka_unit_test_setup_teardown(one_entry_a_process_keeps_to_the_limit, folder_create, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
