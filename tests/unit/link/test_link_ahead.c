/* SPDX-License-Identifier: Apache-2.0 */
/* A cache that was filled ahead of deployment: programs find in it what they would have linked. */
#include "cache_fixture.h"
#include "link_fixture.h"
#include "machine.h"
#include "unit.h"

#include "link/link_ahead.h"
#include "loader/core/archive/cbn_archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/cubinet-test-XXXXXX";

static int open_all(void **state)
{
    return link_tools_open(state) || !mkdtemp(folder) ? -1 : 0;
}

static int close_all(void **state)
{
    char command[sizeof(folder) + 16];
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return system(command) || link_tools_close(state) ? -1 : 0;
}

/* A skeleton, what it needs, and a fragment that nobody needs. */
static cubinet_archive *make_archive(void)
{
    struct made_module unused = half_module;
    unused.symbols[0].name = "other";
    unused.source = "extern \"C\" __device__ float other(float x) { return x / 2; }\n";
    const struct made_module modules[] = {apply_module, unused, twice_module};
    return link_archive(modules, COUNT(modules));
}

static struct link_ahead_result fill(cubinet_archive *archive, char **devices, size_t count)
{
    struct link_input input = {
        .path = "the archive",
        .archive = archive,
        .module_count = cubinet_archive_get_module_count(archive),
    };
    const struct link_inputs archives = {&input, 1};
    const struct cbn_text_list names = {.items = devices, .count = count};
    struct link_ahead_request request = {
        .archives = &archives,
        .devices = &names,
        .nvjitlink = real_nvjitlink(),
        .cache = open_cache(folder),
    };
    struct link_ahead_result result = {0};
    expect_ok(link_ahead(&request, &result));
    cubinet_cache_close(request.cache);
    return result;
}

/* In a process of its own, as the command is, so that this one has opened no nvJitLink. */
static void fill_in_child(cubinet_archive *archive)
{
    static char *devices[] = {"sm_90", "sm_86"};
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct link_ahead_result result = fill(archive, devices, COUNT(devices));
        bool is_as_expected =
            result.linked == 2 && result.present == 0 && result.unlinked == 4 && result.failed == 0;
        _exit(is_as_expected ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void load_on(cubinet_archive *archive, const char *compute, uint64_t disk_hits, uint64_t misses)
{
    cubinet_driver *driver = machine_start(compute, NULL, NULL);
    cubinet_cache *cache = open_cache(folder);
    const cubinet_load_options options = {
        .size = sizeof(options), .nvjitlink = real_nvjitlink(), .cache = cache};
    cubinet_cache_stats stats = {.size = sizeof(stats)};
    cubinet_module *module = NULL;
    expect_ok(cubinet_module_load(driver, archive, "apply", 0, &options, &module));
    assert_non_null(machine_kernel(module, "apply<float>"));
    expect_ok(cubinet_cache_get_stats(cache, &stats));
    assert_int_equal(stats.disk_hits, disk_hits);
    assert_int_equal(stats.misses, misses);
    expect_ok(cubinet_module_unload(module));
    machine_stop(driver);
    cubinet_cache_close(cache);
}

static void loads_find_what_was_linked_ahead(void **state)
{
    (void)state;
    cubinet_archive *archive = make_archive();
    fill_in_child(archive);
    load_on(archive, "9.0", 1, 0);
    load_on(archive, "8.6", 1, 0);
    assert_false(library_is_open(real_nvjitlink()));
    load_on(archive, "8.9", 0, 1); /* for which nothing was linked */
    assert_true(library_is_open(real_nvjitlink()));
    cubinet_archive_close(archive);
}

static void what_is_there_is_not_linked_again(void **state)
{
    (void)state;
    static char *devices[] = {"sm_89"};
    cubinet_archive *archive = make_archive();
    struct link_ahead_result result = fill(archive, devices, COUNT(devices));
    assert_int_equal(result.linked, 0);
    assert_int_equal(result.present, 1);
    cubinet_archive_close(archive);
}

static void what_cannot_be_linked_is_counted_and_the_rest_goes_on(void **state)
{
    (void)state;
    static char *devices[] = {"sm_90"};
    struct made_module alone = apply_module;
    alone.name = "alone";
    const struct made_module broken[] = {alone};
    cubinet_archive *archive = link_archive(broken, COUNT(broken));
    struct link_ahead_result result = fill(archive, devices, COUNT(devices));
    assert_int_equal(result.failed, 1);
    assert_int_equal(result.linked, 0);
    cubinet_archive_close(archive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_find_what_was_linked_ahead),
        cmocka_unit_test(what_is_there_is_not_linked_again),
        cmocka_unit_test(what_cannot_be_linked_is_counted_and_the_rest_goes_on),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
