/* SPDX-License-Identifier: Apache-2.0 */
/* Digests of files that are remembered, and when they are not. */
#include "cache/file_digests.h"
#include "cache_fixture.h"
#include "loader/cache/cache_state.h"
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SLOT_SIZE = 96 }; /* of the table */

static struct cbn_file_digests open_digests(const char *folder)
{
    cubinet_cache *cache = open_cache(folder);
    struct cbn_file_digests digests = cbn_file_digests_open(&cache->own);
    cubinet_cache_close(cache);
    assert_true(digests.fd >= 0);
    return digests;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static bool digest_is_of(const struct cbn_file_digests *digests, const char *path, const char *text)
{
    struct stat about;
    struct cbn_sha256 digest;
    assert_int_equal(stat(path, &about), 0);
    assert_true(cbn_file_digest(digests, path, &about, &digest));
    struct cbn_sha256 expected = cbn_sha256(text, strlen(text));
    return cbn_sha256_equal(&digest, &expected);
}

static void what_was_just_written_is_read_each_time(void **state)
{
    char path[PATH_SIZE];
    struct cbn_file_digests digests = open_digests(*state);
    path_below(*state, "a.h", path);
    for (int i = 0; i < 50; i++) { /* several in one step of the clock, all of one size */
        char text[16];
        snprintf(text, sizeof(text), "#define A %02d", i);
        write_text(path, text);
        set_used(path, 1000000); /* one that hides the edit */
        assert_true(digest_is_of(&digests, path, text));
    }
    char files[PATH_SIZE];
    struct stat about;
    assert_int_equal(stat(path_below(*state, "files", files), &about), 0);
    assert_int_equal(about.st_size, 0); /* nothing was remembered */
    cbn_file_digests_close(&digests);
}

/* A system file that nobody changes is remembered, in the next process as well. */
static void what_has_settled_is_remembered(void **state)
{
    static const char path[] = "/proc/self/exe";
    struct stat about;
    struct cbn_sha256 read, remembered;
    const struct cbn_file_digests none = {.fd = -1};
    assert_int_equal(stat(path, &about), 0);
    if (time(NULL) - about.st_ctime < 10) {
        skip(); /* it was built a moment ago */
    }
    assert_true(cbn_file_digest(&none, path, &about, &read));
    for (int i = 0; i < 2; i++) {
        struct cbn_file_digests digests = open_digests(*state);
        assert_true(cbn_file_digest(&digests, path, &about, &remembered));
        assert_memory_equal(remembered.bytes, read.bytes, sizeof(read.bytes));
        cbn_file_digests_close(&digests);
    }
    /* By what stat() said alone: the path is not even there. */
    struct cbn_file_digests digests = open_digests(*state);
    assert_true(cbn_file_digest(&digests, "missing", &about, &remembered));
    assert_memory_equal(remembered.bytes, read.bytes, sizeof(read.bytes));
    about.st_ctim.tv_nsec ^= 1;
    assert_false(cbn_file_digest(&digests, "missing", &about, &remembered));
    cbn_file_digests_close(&digests);
}

static void damaged_slots_are_empty(void **state)
{
    static const char path[] = "/proc/self/exe";
    char files[PATH_SIZE];
    struct stat about, table;
    struct cbn_sha256 digest;
    assert_int_equal(stat(path, &about), 0);
    if (time(NULL) - about.st_ctime < 10) {
        skip();
    }
    struct cbn_file_digests digests = open_digests(*state);
    assert_true(cbn_file_digest(&digests, path, &about, &digest));
    assert_int_equal(stat(path_below(*state, "files", files), &table), 0);
    assert_true(table.st_size >= SLOT_SIZE);
    off_t slot = table.st_size - SLOT_SIZE; /* the only one is the last */
    for (off_t at = 0; at < SLOT_SIZE; at++) {
        unsigned char byte;
        assert_int_equal(pread(digests.fd, &byte, 1, slot + at), 1);
        byte ^= 0x40;
        assert_int_equal(pwrite(digests.fd, &byte, 1, slot + at), 1);
        assert_false(cbn_file_digest(&digests, "missing", &about, &digest));
        byte ^= 0x40;
        assert_int_equal(pwrite(digests.fd, &byte, 1, slot + at), 1);
    }
    assert_true(cbn_file_digest(&digests, "missing", &about, &digest));
    assert_int_equal(ftruncate(digests.fd, slot + 10), 0);
    assert_false(cbn_file_digest(&digests, "missing", &about, &digest));
    cbn_file_digests_close(&digests);
}

static void files_of_every_size_are_read(void **state)
{
    static const size_t sizes[] = {0, 1, 4095, 65536, 65537, 1000000};
    static char text[1000001];
    char path[PATH_SIZE];
    struct cbn_file_digests digests = open_digests(*state);
    path_below(*state, "a.h", path);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        memset(text, 'a', sizes[i]);
        text[sizes[i]] = '\0';
        write_text(path, text);
        assert_true(digest_is_of(&digests, path, text));
    }
    cbn_file_digests_close(&digests);
}

static void what_is_no_file_has_no_digest(void **state)
{
    char path[PATH_SIZE];
    struct stat about;
    struct cbn_sha256 digest;
    struct cbn_file_digests digests = open_digests(*state);
    assert_int_equal(stat(*state, &about), 0);
    assert_false(cbn_file_digest(&digests, *state, &about, &digest));
    assert_int_equal(mkfifo(path_below(*state, "pipe", path), 0600), 0);
    assert_int_equal(stat(path, &about), 0);
    assert_false(cbn_file_digest(&digests, path, &about, &digest));
    cbn_file_digests_close(&digests);
}

/* A table that others could have written is not used. */
static void a_table_of_others_is_not_used(void **state)
{
    char files[PATH_SIZE];
    cubinet_cache *cache = open_cache(*state);
    int fd = open(path_below(*state, "files", files), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(fchmod(fd, 0666), 0);
    close(fd);
    struct cbn_file_digests digests = cbn_file_digests_open(&cache->own);
    assert_int_equal(digests.fd, -1);
    assert_int_equal(unlink(files), 0);
    assert_int_equal(symlink("/dev/null", files), 0);
    digests = cbn_file_digests_open(&cache->own);
    assert_int_equal(digests.fd, -1);
    cubinet_cache_close(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_just_written_is_read_each_time, folder_create,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(what_has_settled_is_remembered, folder_create, folder_remove),
        cmocka_unit_test_setup_teardown(damaged_slots_are_empty, folder_create, folder_remove),
        cmocka_unit_test_setup_teardown(files_of_every_size_are_read, folder_create, folder_remove),
        cmocka_unit_test_setup_teardown(what_is_no_file_has_no_digest, folder_create, folder_remove),
        cmocka_unit_test_setup_teardown(a_table_of_others_is_not_used, folder_create, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
