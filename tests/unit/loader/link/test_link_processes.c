/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that link with the toolkit's nvJitLink into one cache: many at once, and killed on the way.
 * tests/cache has more of both, with something that takes no compiler to make. */
#include "cache_fixture.h"
#include "link_fixture.h"
#include "machine.h"
#include "unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FEWEST_REGISTERS = 24 }; /* each limit from there on is a link of its own */

/* A copy of what the link makes; the caller frees it. */
static struct compiled link_with(cubinet_cache *cache, const cubinet_archive *archive, uint32_t number)
{
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    const cubinet_link_options options = {.size = sizeof(options),
                                          .nvjitlink = real_nvjitlink(),
                                          .max_registers = FEWEST_REGISTERS + number,
                                          .cache = cache,
                                          .flags = cache == NULL ? CUBINET_LINK_NO_CACHE : 0};
    cubinet_link *link = NULL;
    const void *cubin = NULL;
    struct compiled made = {NULL, 0};
    expect_ok(cubinet_link_create(driver, 0, &options, &link));
    expect_ok(cubinet_link_add_module(link, archive, apply_module.name));
    expect_ok(cubinet_link_add_module(link, archive, twice_module.name));
    expect_ok(cubinet_link_get_cubin(link, &cubin, &made.size));
    made.data = malloc(made.size);
    assert_non_null(made.data);
    memcpy(made.data, cubin, made.size);
    cubinet_link_destroy(link);
    machine_stop(driver);
    return made;
}

/* Starts a process that links; its exit status is how many links it made itself. */
static pid_t start_link(const char *folder, const cubinet_archive *archive, uint32_t number)
{
    pid_t child = fork_process();
    if (child == 0) {
        cubinet_cache *cache = open_cache(folder);
        free(link_with(cache, archive, number).data);
        _exit((int)stats_of(cache).misses);
    }
    return child;
}

static void processes_that_need_the_same_link_do_it_once(void **state)
{
    enum { PROCESSES = 32 };
    const struct made_module modules[] = {apply_module, twice_module};
    cubinet_archive *archive = link_archive(modules, 2);
    pid_t children[PROCESSES];
    int made = 0;
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = start_link(*state, archive, 0);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int end = end_of(children[i]);
        assert_true(WIFEXITED(end));
        made += WEXITSTATUS(end);
    }
    assert_int_equal(made, 1);
    cubinet_archive_close(archive);
}

static int64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* What the cache gives, be it linked before or now, is what a link without a cache makes. */
static void expect_right(const char *folder, const cubinet_archive *archive, uint32_t number)
{
    cubinet_cache *cache = open_cache(folder);
    struct compiled cached = link_with(cache, archive, number);
    struct compiled plain = link_with(NULL, archive, number);
    assert_int_equal(cached.size, plain.size);
    assert_memory_equal(cached.data, plain.data, plain.size);
    free(cached.data);
    free(plain.data);
    cubinet_cache_close(cache);
}

static void killed_while_they_link_they_leave_nothing_wrong(void **state)
{
    enum { KILLS = 200, LOOK_AT_EACH = 10 };
    const struct made_module modules[] = {apply_module, twice_module};
    cubinet_archive *archive = link_archive(modules, 2);
    int64_t begin = now_us();
    assert_int_equal(WEXITSTATUS(end_of(start_link(*state, archive, KILLS))), 1);
    int64_t whole = now_us() - begin;
    unsigned seed = (unsigned)begin;
    print_message("seed %u; a link takes %lld us\n", seed, (long long)whole);
    for (uint32_t i = 0; i < KILLS; i++) {
        pid_t victim = start_link(*state, archive, i);
        usleep((useconds_t)(rand_r(&seed) % (whole + whole / 10)));
        kill(victim, SIGKILL);
        end_of(victim);
        if (i % LOOK_AT_EACH == 0) {
            expect_right(*state, archive, i);
        }
    }
    cubinet_cache *cache = open_cache(*state);
    cubinet_cache_removed removed = {.size = sizeof(removed)};
    expect_ok(cubinet_cache_verify(cache, NULL, NULL, &removed));
    assert_int_equal(removed.entries, 0);
    assert_true(removed.left_entries > KILLS / LOOK_AT_EACH);
    cubinet_cache_close(cache);
    cubinet_archive_close(archive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(processes_that_need_the_same_link_do_it_once, folder_create,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(killed_while_they_link_they_leave_nothing_wrong, folder_create,
                                        folder_remove),
    };
    return cmocka_run_group_tests(tests, link_tools_open, link_tools_close);
}
