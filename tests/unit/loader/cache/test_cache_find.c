/* SPDX-License-Identifier: Apache-2.0 */
/* Finding and keeping apart, and the right to make something. */
#include "cache_fixture.h"
#include "loader/cache/cache_find.h"
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void put(cubinet_cache *cache, uint64_t number, const char *text)
{
    struct cbn_cache_key key = numbered_key(number);
    cbn_cache_put(cache, &key, text, strlen(text), CBN_CACHE_DISK);
    cbn_cache_key_free(&key);
}

static bool has(cubinet_cache *cache, uint64_t number, enum cbn_cache_source layer, const char *text)
{
    struct cbn_cache_key key = numbered_key(number);
    struct cbn_blob *blob = cbn_cache_find(cache, &key, layer);
    bool same = blob && blob->size == strlen(text) && memcmp(blob->data, text, blob->size) == 0;
    cbn_blob_release(blob);
    cbn_cache_key_free(&key);
    return same;
}

static void what_was_put_is_found(void **state)
{
    cubinet_cache *cache = open_cache(*state);
    assert_false(has(cache, 1, CBN_CACHE_DISK, ""));
    put(cache, 1, "one");
    put(cache, 2, "");
    assert_true(has(cache, 1, CBN_CACHE_DISK, "one"));
    assert_true(has(cache, 2, CBN_CACHE_DISK, ""));
    assert_false(has(cache, 1, CBN_CACHE_SHARED, "one"));
    assert_false(has(cache, 1, CBN_CACHE_REMOTE, "one"));
    put(cache, 1, "another");
    assert_true(has(cache, 1, CBN_CACHE_DISK, "another"));
    cubinet_cache_close(cache);
}

static void the_shared_folder_is_looked_in_when_asked(void **state)
{
    char shared[PATH_SIZE], own[PATH_SIZE];
    cubinet_cache *cache = open_cache(path_below(*state, "shared", shared));
    put(cache, 1, "one");
    cubinet_cache_close(cache);
    const cubinet_cache_options options = {
        .size = sizeof(options), .directory = path_below(*state, "own", own), .shared_directory = shared};
    assert_int_equal(cubinet_cache_open(&options, &cache), CUBINET_OK);
    assert_false(has(cache, 1, CBN_CACHE_DISK, "one"));
    assert_true(has(cache, 1, CBN_CACHE_SHARED, "one"));
    cubinet_cache_close(cache);
}

static void a_damaged_entry_is_none(void **state)
{
    char path[PATH_SIZE];
    cubinet_cache *cache = open_cache(*state);
    put(cache, 1, "one");
    assert_int_equal(truncate(entry_path(*state, 1, path), 50), 0);
    assert_false(has(cache, 1, CBN_CACHE_DISK, "one"));
    assert_int_equal(stats_of(cache).damaged, 1);
    cubinet_cache_close(cache);
}

/* A process that holds the right until it is told to go on, or is killed. */
static pid_t start_holder(const char *folder, int *out_go_on)
{
    int ready[2], go_on[2];
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(go_on), 0);
    pid_t child = fork_process();
    if (child == 0) {
        char byte = 0;
        close(go_on[1]);
        cubinet_cache *cache = open_cache(folder);
        struct cbn_cache_key key = numbered_key(1);
        struct cbn_cache_claim claim = cbn_cache_claim(cache, &key);
        bool is_ok = !claim.waited && write(ready[1], &byte, 1) == 1 && read(go_on[0], &byte, 1) == 1;
        put(cache, 1, "one");
        cbn_cache_unclaim(&claim);
        cbn_cache_key_free(&key);
        cubinet_cache_close(cache);
        _exit(is_ok ? 0 : 1);
    }
    char byte;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    close(go_on[0]);
    *out_go_on = go_on[1];
    return child;
}

static void who_waited_finds_what_was_made(void **state)
{
    int go_on;
    pid_t holder = start_holder(*state, &go_on);
    pid_t waiter = fork_process();
    if (waiter == 0) {
        cubinet_cache *cache = open_cache(*state);
        struct cbn_cache_key key = numbered_key(1);
        struct cbn_cache_claim claim = cbn_cache_claim(cache, &key);
        bool is_ok = claim.waited && has(cache, 1, CBN_CACHE_DISK, "one") && stats_of(cache).waits == 1;
        cbn_cache_unclaim(&claim);
        cbn_cache_key_free(&key);
        cubinet_cache_close(cache);
        _exit(is_ok ? 0 : 1);
    }
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL); /* so that it most likely waits by then */
    cubinet_cache *cache = open_cache(*state);
    struct cbn_cache_key other = numbered_key(2);
    struct cbn_cache_claim claim = cbn_cache_claim(cache, &other);
    assert_false(claim.waited); /* for something else nobody waits */
    cbn_cache_unclaim(&claim);
    cbn_cache_key_free(&other);
    cubinet_cache_close(cache);
    assert_int_equal(write(go_on, "", 1), 1);
    close(go_on);
    assert_int_equal(end_of(holder), 0);
    assert_int_equal(end_of(waiter), 0);
}

static void who_is_killed_lets_go(void **state)
{
    int go_on;
    pid_t holder = start_holder(*state, &go_on);
    assert_int_equal(kill(holder, SIGKILL), 0);
    assert_int_equal(WTERMSIG(end_of(holder)), SIGKILL);
    close(go_on);
    cubinet_cache *cache = open_cache(*state);
    struct cbn_cache_key key = numbered_key(1);
    struct cbn_cache_claim claim = cbn_cache_claim(cache, &key);
    assert_false(claim.waited);
    assert_false(has(cache, 1, CBN_CACHE_DISK, "one"));
    cbn_cache_unclaim(&claim);
    cbn_cache_key_free(&key);
    cubinet_cache_close(cache);
}

static void without_a_folder_nothing_is_kept(void **state)
{
    (void)state;
    const cubinet_cache_options options = {.size = sizeof(options), .directory = "", .shared_directory = ""};
    cubinet_cache *cache = NULL;
    assert_int_equal(cubinet_cache_open(&options, &cache), CUBINET_OK);
    struct cbn_cache_key key = numbered_key(1);
    struct cbn_cache_claim claim = cbn_cache_claim(cache, &key);
    put(cache, 1, "one");
    assert_false(claim.waited);
    assert_false(has(cache, 1, CBN_CACHE_DISK, "one"));
    cbn_cache_unclaim(&claim);
    cbn_cache_key_free(&key);
    cubinet_cache_close(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_put_is_found, folder_create, folder_remove),
        cmocka_unit_test_setup_teardown(the_shared_folder_is_looked_in_when_asked, folder_create,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(a_damaged_entry_is_none, folder_create, folder_remove),
        cmocka_unit_test_setup_teardown(who_waited_finds_what_was_made, folder_create, folder_remove),
        cmocka_unit_test_setup_teardown(who_is_killed_lets_go, folder_create, folder_remove),
        cmocka_unit_test(without_a_folder_nothing_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
