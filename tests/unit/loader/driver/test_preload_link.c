/* SPDX-License-Identifier: Apache-2.0 */
/* Preloading what has to be linked, with the toolkit's nvJitLink. */
#include "cache_fixture.h"
#include "link_fixture.h"
#include "machine.h"
#include "unit.h"

#include <cubinet/preload.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MODULES = 6, THREADS = 4 };

static cubinet_preload_result result_of(const cubinet_preload *preloaded, size_t index)
{
    cubinet_preload_result result = {.size = sizeof(result)};
    expect_ok(cubinet_preload_get_result(preloaded, index, &result));
    return result;
}

/* Modules of one kernel each, of LTO-IR alone, which differ by a number. */
static cubinet_archive *numbered_archive(void)
{
    struct made_module modules[MODULES];
    char names[MODULES][16];
    char sources[MODULES][128];
    char kernels[MODULES][16];
    for (int i = 0; i < MODULES; i++) {
        snprintf(names[i], sizeof(names[i]), "module%d", i);
        snprintf(kernels[i], sizeof(kernels[i]), "kernel%d", i);
        snprintf(sources[i], sizeof(sources[i]),
                 "extern \"C\" __global__ void kernel%d(int *out) { out[threadIdx.x] = %d; }\n", i, i);
        modules[i] = (struct made_module){.name = names[i], .source = sources[i], .kernel = kernels[i]};
    }
    return link_archive(modules, MODULES);
}

static cubinet_preload *preload_numbered(cubinet_driver *driver, const cubinet_archive *archive,
                                         cubinet_cache *cache)
{
    const cubinet_load_options load = {.size = sizeof(load), .nvjitlink = real_nvjitlink(), .cache = cache};
    const cubinet_preload_options options = {.size = sizeof(options), .load = &load, .threads = THREADS};
    const cubinet_preload_item item = {.archive = archive};
    cubinet_preload *preloaded = NULL;
    expect_ok(cubinet_preload_run(driver, 0, &item, 1, &options, &preloaded));
    return preloaded;
}

static void expect_kernels(const cubinet_preload *preloaded)
{
    assert_int_equal(cubinet_preload_get_result_count(preloaded), MODULES);
    for (size_t i = 0; i < MODULES; i++) {
        char name[16];
        char target[CUBINET_TARGET_NAME_SIZE];
        cubinet_module *module = result_of(preloaded, i).module;
        snprintf(name, sizeof(name), "kernel%zu", i);
        machine_kernel(module, name);
        assert_string_equal(machine_loaded(module, target), "sm_90");
    }
}

/* In a process of its own, as another program would. */
static void preload_in_child(const cubinet_archive *archive, const char *folder)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        cubinet_driver *driver = machine_start("9.0", NULL, NULL);
        cubinet_cache *cache = open_cache(folder);
        cubinet_preload *preloaded = preload_numbered(driver, archive, cache);
        expect_kernels(preloaded);
        _exit(stats_of(cache).misses != MODULES || !library_is_open(real_nvjitlink()));
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* First of all tests, while nobody has opened the library in this process. */
static void test_modules_are_linked_together_and_found_in_the_cache_next_time(void **state)
{
    cubinet_archive *archive = numbered_archive();
    preload_in_child(archive, *state);
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_cache *cache = open_cache(*state);
    cubinet_preload *preloaded = preload_numbered(driver, archive, cache);
    assert_false(library_is_open(real_nvjitlink()));
    assert_int_equal(stats_of(cache).disk_hits, MODULES);
    assert_int_equal(stats_of(cache).misses, 0);
    expect_kernels(preloaded);
    cubinet_cache_close(cache);
    expect_ok(cubinet_preload_destroy(preloaded));
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_modules_are_linked_in_threads(void **state)
{
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = numbered_archive();
    cubinet_cache *cache = open_cache(*state);
    cubinet_preload *preloaded = preload_numbered(driver, archive, cache);
    assert_int_equal(stats_of(cache).misses, MODULES);
    expect_kernels(preloaded);
    expect_ok(cubinet_preload_destroy(preloaded));
    cubinet_cache_close(cache);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

/* A link of the skeleton with what `plugin` defines. */
static cubinet_link *plug_in(cubinet_driver *driver, const cubinet_archive *archive, cubinet_cache *cache,
                             const char *plugin)
{
    const cubinet_link_options options = {
        .size = sizeof(options), .nvjitlink = real_nvjitlink(), .cache = cache};
    cubinet_link *link = NULL;
    expect_ok(cubinet_link_create(driver, 0, &options, &link));
    expect_ok(cubinet_link_add_module(link, archive, "apply"));
    if (plugin) {
        expect_ok(cubinet_link_add_module(link, archive, plugin));
    }
    return link;
}

static void test_links_are_completed_beside_modules(void **state)
{
    const struct made_module plain = {
        .name = "plain", .source = "extern \"C\" __global__ void plain() {}", .kernel = "plain"};
    const struct made_module modules[] = {apply_module, half_module, plain, twice_module};
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = link_archive(modules, COUNT(modules));
    cubinet_cache *cache = open_cache(*state);
    const cubinet_load_options load = {.size = sizeof(load), .nvjitlink = real_nvjitlink(), .cache = cache};
    const cubinet_preload_options options = {
        .size = sizeof(options), .load = &load, .threads = THREADS, .flags = CUBINET_PRELOAD_KEEP_GOING};
    const cubinet_preload_item items[] = {
        {.link = plug_in(driver, archive, cache, "twice"), .name = "apply twice"},
        {.link = plug_in(driver, archive, cache, "half"), .name = "apply half"},
        {.link = plug_in(driver, archive, cache, NULL), .name = "apply nothing"},
        {.archive = archive, .name = "plain"},
    };
    cubinet_preload *preloaded = NULL;
    expect_ok(cubinet_preload_run(driver, 0, items, COUNT(items), &options, &preloaded));
    assert_int_equal(stats_of(cache).misses, 3);
    machine_kernel(result_of(preloaded, 0).module, "apply<float>");
    machine_kernel(result_of(preloaded, 1).module, "apply<float>");
    assert_int_equal(result_of(preloaded, 2).status, CUBINET_ERROR_LINK);
    expect_in(result_of(preloaded, 2).message, "nothing defines 'op'");
    machine_kernel(result_of(preloaded, 3).module, "plain");

    /* A link that was preloaded makes further modules of the same code. */
    cubinet_module *another = NULL;
    expect_ok(cubinet_link_complete(items[0].link, &another));
    assert_int_equal(stats_of(cache).memory_hits + stats_of(cache).misses, 3);
    expect_ok(cubinet_module_unload(another));
    for (size_t i = 0; i < COUNT(items); i++) {
        cubinet_link_destroy(items[i].link);
    }
    expect_ok(cubinet_preload_destroy(preloaded));
    cubinet_cache_close(cache);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_modules_are_linked_together_and_found_in_the_cache_next_time,
                                        folder_create, folder_remove),
        cmocka_unit_test_setup_teardown(test_modules_are_linked_in_threads, folder_create, folder_remove),
        cmocka_unit_test_setup_teardown(test_links_are_completed_beside_modules, folder_create,
                                        folder_remove),
    };
    return cmocka_run_group_tests(tests, link_tools_open, link_tools_close);
}
