/* SPDX-License-Identifier: Apache-2.0 */
/* Links and the cache: what is linked once, and what must not be taken for the same. */
#include "cache_fixture.h"
#include "link_fixture.h"
#include "machine.h"
#include "unit.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8 };

/* Loads "apply" in a process of its own, as another program would. */
static void load_in_child(const cubinet_archive *archive, const char *folder)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        cubinet_driver *driver = machine_start("9.0", NULL, NULL);
        const cubinet_load_options options = {
            .size = sizeof(options), .nvjitlink = real_nvjitlink(), .cache = open_cache(folder)};
        cubinet_module *module = NULL;
        cubinet_status status = cubinet_module_load(driver, archive, "apply", 0, &options, &module);
        _exit(status || !library_is_open(real_nvjitlink()));
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* First of all tests, while nobody has opened the library in this process. */
static void test_nvjitlink_stays_closed_where_the_cache_has_the_link(void **state)
{
    const struct made_module modules[] = {apply_module, twice_module};
    cubinet_archive *archive = link_archive(modules, 2);
    load_in_child(archive, *state);
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_cache *cache = open_cache(*state);
    const cubinet_load_options options = {
        .size = sizeof(options), .nvjitlink = real_nvjitlink(), .cache = cache};
    cubinet_module *module = NULL;
    expect_ok(cubinet_module_load(driver, archive, "apply", 0, &options, &module));
    assert_false(library_is_open(real_nvjitlink()));
    assert_int_equal(stats_of(cache).disk_hits, 1);
    assert_int_equal(stats_of(cache).misses, 0);
    cubinet_kernel_info info = {.size = sizeof(info)};
    expect_ok(cubinet_kernel_get_info(machine_kernel(module, "apply<float>"), &info));
    assert_string_equal(info.name, APPLY_KERNEL);
    expect_ok(cubinet_module_unload(module));

    /* What is in memory needs no file either. The cache may go before the module. */
    expect_ok(cubinet_module_load(driver, archive, "apply", 0, &options, &module));
    assert_int_equal(stats_of(cache).memory_hits, 1);
    cubinet_cache_close(cache);
    machine_kernel(module, "apply<float>");
    expect_ok(cubinet_module_unload(module));
    cubinet_archive_close(archive);
    machine_stop(driver);
}

/* Links PTX that both releases read, and gives the nvJitLink's answer. */
static size_t link_ptx(cubinet_driver *driver, const char *nvjitlink, cubinet_cache *cache)
{
    static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                              ".visible .entry stop()\n{\n    ret;\n}\n";
    const cubinet_link_options options = {.size = sizeof(options), .nvjitlink = nvjitlink, .cache = cache};
    cubinet_link *link = NULL;
    const void *cubin = NULL;
    size_t size = 0;
    expect_ok(cubinet_link_create(driver, 0, &options, &link));
    expect_ok(cubinet_link_add_data(link, CUBINET_PIECE_PTX, ptx, sizeof(ptx), "stop"));
    expect_ok(cubinet_link_get_cubin(link, &cubin, &size));
    cubinet_link_destroy(link);
    return size;
}

/* In processes one after the other, in both orders: each finds its own entry and not the other's. */
static void test_two_nvjitlinks_share_no_entry(void **state)
{
    const char *older = getenv("OTHER_NVJITLINK");
    if (!older || access(older, R_OK) != 0) {
        print_message("there is no nvJitLink of CUDA 12 beside the toolkit's: scripts/test.sh fetches one\n");
        skip();
    }
    const char *const libraries[] = {real_nvjitlink(), older};
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 2; i++) {
            cubinet_cache *cache = open_cache(*state);
            assert_true(link_ptx(driver, libraries[i], cache) > 0);
            assert_int_equal(stats_of(cache).misses, round == 0);
            assert_int_equal(stats_of(cache).disk_hits, round == 1);
            assert_int_equal(stats_of(cache).stores, round == 0);
            cubinet_cache_close(cache);
        }
    }
    machine_stop(driver);
}

/* A link of "apply" and "twice" that the tests below alter. */
struct variant {
    const char *nvjitlink; /* NULL: the toolkit's */
    cubinet_link_options options;
    const char *expression; /* that the archive records of the kernel; NULL: the usual one */
    bool is_double;         /* plugs in what halves instead */
};

static void link_variant(cubinet_driver *driver, cubinet_cache *cache, const struct variant *variant)
{
    struct made_module modules[] = {apply_module, variant->is_double ? half_module : twice_module};
    modules[0].expression = variant->expression ? variant->expression : modules[0].expression;
    cubinet_archive *archive = link_archive(modules, 2);
    cubinet_link_options options = variant->options;
    cubinet_link *link = NULL;
    cubinet_module *module = NULL;
    options.size = sizeof(options);
    options.nvjitlink = variant->nvjitlink ? variant->nvjitlink : real_nvjitlink();
    options.cache = cache;
    expect_ok(cubinet_link_create(driver, 0, &options, &link));
    expect_ok(cubinet_link_add_module(link, archive, modules[0].name));
    expect_ok(cubinet_link_add_module(link, archive, modules[1].name));
    expect_ok(cubinet_link_complete(link, &module));
    machine_kernel(module, modules[0].expression);
    cubinet_link_destroy(link);
    cubinet_archive_close(archive);
    expect_ok(cubinet_module_unload(module));
}

static void test_different_links_have_different_entries(void **state)
{
    static const char *const raw[] = {"-split-compile=1"};
    static const char *const used[] = {"apply<float>"};
    const struct variant variants[] = {
        {.nvjitlink = NULL},
        {.is_double = true},
        {.expression = "apply<float, 1>"},
        {.options = {.max_registers = 32}},
        {.options = {.math = CUBINET_MATH_FLUSH_DENORMALS}},
        {.options = {.flags = CUBINET_LINK_LINEINFO}},
        {.options = {.flags = CUBINET_LINK_NO_OPTIMIZATION}},
        {.options = {.suffix = 'a'}},
        {.options = {.flags = CUBINET_LINK_DROP_UNUSED_VARIABLES}},
        {.options = {.kernels_used = used, .kernels_used_count = 1}},
        {.options = {.raw_options = raw, .raw_option_count = 1}},
    };
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_cache *cache = open_cache(*state);
    for (size_t i = 0; i < COUNT(variants); i++) {
        link_variant(driver, cache, &variants[i]);
        assert_int_equal(stats_of(cache).misses, i + 1);
    }
    for (size_t i = 0; i < COUNT(variants); i++) {
        link_variant(driver, cache, &variants[i]);
    }
    assert_int_equal(stats_of(cache).misses, COUNT(variants));
    cubinet_cache_close(cache);
    machine_stop(driver);
}

/* nvJitLink reads them itself, in the program's process. */
static void test_variables_of_nvjitlink_have_entries_of_their_own(void **state)
{
    static const char *const variables[] = {"NVVM_IR_VER_CHK", "NV_NVVM_VERSION", "LIBNVVM_NVVM_VERSION",
                                            "NVJITLINK_ANY", "LLVM_OVERRIDE_PRODUCER"};
    const struct variant variant = {.nvjitlink = NULL};
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_cache *cache = open_cache(*state);
    link_variant(driver, cache, &variant);
    for (size_t i = 0; i < COUNT(variables); i++) {
        assert_int_equal(setenv(variables[i], "nvvm-latest", 1), 0);
        link_variant(driver, cache, &variant);
        assert_int_equal(unsetenv(variables[i]), 0);
        assert_int_equal(stats_of(cache).misses, i + 2);
    }
    assert_int_equal(setenv("LLVM_DIR", "/usr/lib/llvm", 1), 0);
    link_variant(driver, cache, &variant);
    assert_int_equal(unsetenv("LLVM_DIR"), 0);
    assert_int_equal(stats_of(cache).misses, COUNT(variables) + 1);
    cubinet_cache_close(cache);
    machine_stop(driver);
}

/* The cubin that a variant of the link makes, for the fake nvJitLink to give. The link keeps it. */
static cubinet_link *fake_gives_linked(cubinet_driver *driver, cubinet_archive *archive)
{
    const cubinet_link_options options = {
        .size = sizeof(options), .nvjitlink = real_nvjitlink(), .flags = CUBINET_LINK_NO_CACHE};
    cubinet_link *link = NULL;
    const void *cubin = NULL;
    size_t size = 0;
    expect_ok(cubinet_link_create(driver, 0, &options, &link));
    expect_ok(cubinet_link_add_module(link, archive, "apply"));
    expect_ok(cubinet_link_add_archive(link, archive));
    expect_ok(cubinet_link_get_cubin(link, &cubin, &size));
    fake_set(FAKE_WORKS, cubin, size);
    return link;
}

/* Nobody sees what nvJitLink reads in a program's process. */
static void test_links_that_may_read_files_are_not_kept(void **state)
{
    static const char *const reading[] = {"-Xptxas=-optf=o.opt", "-Xptxas=--apply-controls=c",
                                          "-Xptxas=--not-known", "-Xptxas=o.ptx", "-Xnvvm=-anything"};
    static const char *const plain[][2] = {{"-Xptxas=-O1", "-verbose"}, {"-Xptxas=--opt-level", "-Xptxas=1"}};
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    const struct made_module modules[] = {apply_module, twice_module};
    cubinet_archive *archive = link_archive(modules, 2);
    cubinet_link *link = fake_gives_linked(driver, archive);
    cubinet_cache *cache = open_cache(*state);
    for (size_t i = 0; i < 2 * COUNT(reading); i++) {
        const cubinet_link_options options = {.raw_options = &reading[i / 2], .raw_option_count = 1};
        link_variant(driver, cache, &(struct variant){.nvjitlink = fake_nvjitlink(), .options = options});
        assert_int_equal(fake_links(), i + 1);
    }
    assert_int_equal(stats_of(cache).stores, 0);
    for (size_t i = 0; i < 2 * COUNT(plain); i++) {
        const cubinet_link_options options = {.raw_options = plain[i / 2], .raw_option_count = 2};
        link_variant(driver, cache, &(struct variant){.nvjitlink = fake_nvjitlink(), .options = options});
        assert_int_equal(stats_of(cache).misses, i / 2 + 1);
    }
    cubinet_cache_close(cache);
    cubinet_link_destroy(link);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_builds_of_nvjitlink_share_no_entry(void **state)
{
    char copy[256];
    char command[1024];
    const struct made_module modules[] = {apply_module, twice_module};
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = link_archive(modules, 2);
    cubinet_link *link = fake_gives_linked(driver, archive);
    cubinet_cache *cache = open_cache(*state);
    snprintf(copy, sizeof(copy), "%s/libnvJitLink.so.13", (const char *)*state);
    snprintf(command, sizeof(command), "cp '%s' '%s'", fake_nvjitlink(), copy);
    assert_int_equal(system(command), 0);
    link_variant(driver, cache, &(struct variant){.nvjitlink = NULL});
    link_variant(driver, cache, &(struct variant){.nvjitlink = fake_nvjitlink()});
    assert_int_equal(stats_of(cache).misses, 2);
    assert_int_equal(fake_links(), 1);
    /* The same build, elsewhere. */
    link_variant(driver, cache, &(struct variant){.nvjitlink = copy});
    assert_int_equal(stats_of(cache).misses, 2);
    cubinet_cache_close(cache);
    cubinet_link_destroy(link);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

/* What each thread of the test below loads with. */
struct shared {
    cubinet_driver *driver;
    const cubinet_archive *archive;
    cubinet_load_options options;
};

static void *load_one(void *user)
{
    const struct shared *shared = user;
    cubinet_module *module = NULL;
    cubinet_status status =
        cubinet_module_load(shared->driver, shared->archive, "apply", 0, &shared->options, &module);
    return status || cubinet_module_unload(module) ? user : NULL;
}

static void test_threads_that_need_the_same_link_do_it_once(void **state)
{
    const struct made_module modules[] = {apply_module, twice_module};
    struct shared shared = {.driver = machine_start("9.0", NULL, NULL)};
    cubinet_archive *archive = link_archive(modules, 2);
    cubinet_link *link = fake_gives_linked(shared.driver, archive);
    cubinet_cache *cache = open_cache(*state);
    pthread_t threads[THREADS];
    shared.archive = archive;
    shared.options =
        (cubinet_load_options){.size = sizeof(shared.options), .nvjitlink = fake_nvjitlink(), .cache = cache};
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, load_one, &shared), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        void *failed = NULL;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    assert_int_equal(fake_links(), 1);
    cubinet_cache_close(cache);
    cubinet_link_destroy(link);
    cubinet_archive_close(archive);
    machine_stop(shared.driver);
}

static void test_a_failed_link_is_not_remembered(void **state)
{
    const struct made_module modules[] = {apply_module, twice_module};
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = link_archive(modules, 2);
    cubinet_cache *cache = open_cache(*state);
    const cubinet_load_options options = {
        .size = sizeof(options), .nvjitlink = fake_nvjitlink(), .cache = cache};
    cubinet_module *module = NULL;
    fake_set(FAKE_REFUSES_PIECES, NULL, 0);
    assert_int_equal(cubinet_module_load(driver, archive, "apply", 0, &options, &module),
                     CUBINET_ERROR_NO_IMAGE);
    cubinet_link *link = fake_gives_linked(driver, archive);
    expect_ok(cubinet_module_load(driver, archive, "apply", 0, &options, &module));
    assert_int_equal(stats_of(cache).make_failures, 1);
    expect_ok(cubinet_module_unload(module));
    cubinet_cache_close(cache);
    cubinet_link_destroy(link);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_nvjitlink_stays_closed_where_the_cache_has_the_link,
                                        folder_create, folder_remove),
        cmocka_unit_test_setup_teardown(test_different_links_have_different_entries, folder_create,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(test_variables_of_nvjitlink_have_entries_of_their_own, folder_create,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(test_two_nvjitlinks_share_no_entry, folder_create, folder_remove),
        cmocka_unit_test_setup_teardown(test_builds_of_nvjitlink_share_no_entry, folder_create,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(test_links_that_may_read_files_are_not_kept, folder_create,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(test_threads_that_need_the_same_link_do_it_once, folder_create,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(test_a_failed_link_is_not_remembered, folder_create, folder_remove),
    };
    return cmocka_run_group_tests(tests, link_tools_open, link_tools_close);
}
