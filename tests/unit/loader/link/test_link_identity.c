/* SPDX-License-Identifier: Apache-2.0 */
/* What a link must not be taken for: one of pieces that only have the same digest, and one that another
 * program made which trusts other keys, or none. */
#include "archive/archive_writer.h"
#include "base/file.h"
#include "cache_fixture.h"
#include "link_fixture.h"
#include "machine.h"
#include "twins.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEYS   SIGNATURE_KEYS "/"
#define HIDDEN "\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry stop()\n{\n    ret;\n}\n"
#define COMMON "\n"

/* The cubin of a link, for the fake nvJitLink to give. The link keeps it. */
static cubinet_link *fake_gives_linked(cubinet_driver *driver)
{
    const struct made_module modules[] = {apply_module, twice_module};
    cubinet_archive *archive = link_archive(modules, 2);
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
    cubinet_archive_close(archive);
    return link;
}

/* Files an archive whose module "app" is that PTX, signed with a key of that name; NULL: not signed. */
static void file_archive(const char *ptx, const char *key_name, const char *path)
{
    struct draft draft = {0};
    struct signing_key key;
    struct archive_writer_options options = {.keys = &key};
    const cubinet_target target = {.kind = CUBINET_IMAGE_PTX, .number = 80};
    unsigned char *data = (unsigned char *)strdup(ptx);
    assert_non_null(data);
    assert_int_equal(
        draft_add_image(draft_module(&draft, "app"), target, data, strlen(ptx), NULL, "a test", NULL),
        CUBINET_OK);
    if (key_name) {
        char key_path[1024];
        snprintf(key_path, sizeof(key_path), "%s%s.key", KEYS, key_name);
        assert_int_equal(signing_key_read(key_path, &key), CUBINET_OK);
        options.key_count = 1;
    }
    assert_int_equal(archive_write_file(&draft, &options, path), CUBINET_OK);
    draft_free(&draft);
}

/* What a program does: links the module of an archive that it trusts by these keys. */
static void link_module(cubinet_driver *driver, cubinet_cache *cache, const char *path,
                        const char *const *keys, size_t key_count)
{
    const cubinet_archive_options trust = {
        .size = sizeof(trust), .public_keys = keys, .public_key_count = key_count};
    const cubinet_link_options options = {
        .size = sizeof(options), .nvjitlink = fake_nvjitlink(), .cache = cache};
    cubinet_archive *archive = NULL;
    cubinet_link *link = NULL;
    const void *cubin = NULL;
    size_t size = 0;
    expect_ok(cubinet_archive_open(path, &trust, &archive));
    expect_ok(cubinet_link_create(driver, 0, &options, &link));
    expect_ok(cubinet_link_add_module(link, archive, "app"));
    expect_ok(cubinet_link_get_cubin(link, &cubin, &size));
    cubinet_link_destroy(link);
    cubinet_archive_close(archive);
}

static void link_data(cubinet_driver *driver, cubinet_cache *cache, const char *ptx)
{
    const cubinet_link_options options = {
        .size = sizeof(options), .nvjitlink = fake_nvjitlink(), .cache = cache};
    cubinet_link *link = NULL;
    const void *cubin = NULL;
    size_t size = 0;
    expect_ok(cubinet_link_create(driver, 0, &options, &link));
    expect_ok(cubinet_link_add_data(link, CUBINET_PIECE_PTX, ptx, strlen(ptx), "app"));
    expect_ok(cubinet_link_get_cubin(link, &cubin, &size));
    cubinet_link_destroy(link);
}

static void pieces_with_one_digest_are_two(void **state)
{
    struct twins twins = twins_make(HIDDEN, COMMON);
    cubinet_driver *driver = machine_start("8.0", NULL, NULL);
    cubinet_link *made = fake_gives_linked(driver);
    cubinet_cache *cache = open_cache(*state);
    link_data(driver, cache, twins.first);
    link_data(driver, cache, twins.second);
    assert_int_equal(stats_of(cache).misses, 2);
    link_data(driver, cache, twins.first);
    assert_int_equal(stats_of(cache).misses, 2);
    assert_int_equal(fake_links(), 2);
    cubinet_cache_close(cache);
    cubinet_link_destroy(made);
    machine_stop(driver);
    twins_free(&twins);
}

/* Neither by a digest that fits nor by the same bytes does code that nobody signed get into a program that
 * trusts a key. */
static void programs_that_trust_share_nothing_with_others(void **state)
{
    char honest[PATH_SIZE];
    char evil[PATH_SIZE];
    char *plain = NULL;
    char *other = NULL;
    size_t size;
    struct twins twins = twins_make(HIDDEN, COMMON);
    file_archive(twins.first, "plain", path_below(*state, "honest.cubinet", honest));
    file_archive(twins.second, NULL, path_below(*state, "evil.cubinet", evil));
    assert_int_equal(file_read(KEYS "plain.pub", &plain, &size), CUBINET_OK);
    assert_int_equal(file_read(KEYS "minisign.pub", &other, &size), CUBINET_OK);
    cubinet_driver *driver = machine_start("8.0", NULL, NULL);
    cubinet_link *made = fake_gives_linked(driver);
    cubinet_cache *cache = open_cache(*state);
    const char *const keys[] = {plain, other, plain};
    const struct {
        const char *path;
        const char *const *keys;
        size_t key_count;
        unsigned misses; /* in all, afterwards */
    } programs[] = {
        {evil, NULL, 0, 1},       {honest, keys, 1, 2}, {honest, NULL, 0, 3}, {honest, keys, 2, 4},
        {honest, keys + 1, 2, 4}, {honest, keys, 1, 4}, {honest, NULL, 0, 4}, {evil, NULL, 0, 4},
    };
    for (size_t i = 0; i < COUNT(programs); i++) {
        link_module(driver, cache, programs[i].path, programs[i].keys, programs[i].key_count);
        assert_int_equal(stats_of(cache).misses, programs[i].misses);
    }
    cubinet_cache_close(cache);
    cubinet_link_destroy(made);
    machine_stop(driver);
    free(plain);
    free(other);
    twins_free(&twins);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pieces_with_one_digest_are_two, folder_create, folder_remove),
        cmocka_unit_test_setup_teardown(programs_that_trust_share_nothing_with_others, folder_create,
                                        folder_remove),
    };
    return cmocka_run_group_tests(tests, link_tools_open, link_tools_close);
}
