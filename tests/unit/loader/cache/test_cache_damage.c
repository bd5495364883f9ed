/* SPDX-License-Identifier: Apache-2.0 */
/* Damaged entries: whatever is wrong with a file, it is a miss, and a sound one takes its place. */
#include "cache_fixture.h"
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIZE = 50, ROOM = 500 };

static size_t read_entry(const char *path, unsigned char *bytes, size_t capacity)
{
    FILE *file = fopen(path, "rbe");
    assert_non_null(file);
    size_t size = fread(bytes, 1, capacity, file);
    fclose(file);
    return size;
}

static void write_entry(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wbe");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Puts these bytes where the entry of key 1 is, and obtains that. */
static void is_miss_and_replaced(const char *folder, const unsigned char *bytes, size_t size)
{
    char path[PATH_SIZE];
    write_entry(entry_path(folder, 1, path), bytes, size);
    cubinet_cache *cache = open_cache(folder);
    assert_int_equal(obtain(cache, 1, SIZE), CBN_CACHE_MADE);
    cubinet_cache_stats stats = stats_of(cache);
    assert_int_equal(stats.damaged, 1);
    assert_int_equal(stats.misses, 1);
    cubinet_cache_close(cache);
    assert_int_equal(obtain_anew(folder, 1, SIZE), CBN_CACHE_DISK);
}

static void each_byte_flipped_is_a_miss(void **state)
{
    char path[PATH_SIZE];
    unsigned char bytes[ROOM];
    assert_int_equal(obtain_anew(*state, 1, SIZE), CBN_CACHE_MADE);
    size_t size = read_entry(entry_path(*state, 1, path), bytes, sizeof(bytes));
    assert_true(size > SIZE && size < sizeof(bytes));
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= (unsigned char)(1 << i % 8);
        is_miss_and_replaced(*state, bytes, size);
        bytes[i] ^= (unsigned char)(1 << i % 8);
    }
}

static void each_truncation_is_a_miss(void **state)
{
    char path[PATH_SIZE];
    unsigned char bytes[ROOM] = {0};
    assert_int_equal(obtain_anew(*state, 1, SIZE), CBN_CACHE_MADE);
    size_t size = read_entry(entry_path(*state, 1, path), bytes, sizeof(bytes));
    for (size_t i = 0; i < size; i++) {
        is_miss_and_replaced(*state, bytes, i);
    }
    is_miss_and_replaced(*state, bytes, size + 1);
}

/* Two keys whose digests are equal would share a file. */
static void an_entry_of_another_key_is_a_miss(void **state)
{
    char path[PATH_SIZE], other[PATH_SIZE];
    assert_int_equal(obtain_anew(*state, 2, SIZE), CBN_CACHE_MADE);
    assert_int_equal(rename(entry_path(*state, 2, other), entry_path(*state, 1, path)), 0);
    cubinet_cache *cache = open_cache(*state);
    assert_int_equal(obtain(cache, 1, SIZE), CBN_CACHE_MADE);
    assert_int_equal(stats_of(cache).damaged, 0);
    cubinet_cache_close(cache);
    assert_int_equal(obtain_anew(*state, 1, SIZE), CBN_CACHE_DISK);
}

static void is_made_in_place_of(const char *folder)
{
    assert_int_equal(obtain_anew(folder, 1, SIZE), CBN_CACHE_MADE);
    assert_int_equal(obtain_anew(folder, 1, SIZE), CBN_CACHE_DISK);
}

static void what_is_no_regular_file_is_a_miss(void **state)
{
    char path[PATH_SIZE], elsewhere[PATH_SIZE];
    entry_path(*state, 1, path);
    assert_int_equal(mkfifo(path, 0600), 0); /* must not be waited for */
    is_made_in_place_of(*state);

    /* A sound entry, but behind a link. */
    assert_int_equal(rename(path, path_below(*state, "elsewhere", elsewhere)), 0);
    assert_int_equal(symlink(elsewhere, path), 0);
    is_made_in_place_of(*state);
    struct stat info;
    assert_int_equal(lstat(path, &info), 0);
    assert_true(S_ISREG(info.st_mode));
}

static void what_others_can_write_is_a_miss(void **state)
{
    char path[PATH_SIZE];
    assert_int_equal(obtain_anew(*state, 1, SIZE), CBN_CACHE_MADE);
    entry_path(*state, 1, path);
    static const mode_t modes[] = {0664, 0646, 0666};
    for (size_t i = 0; i < COUNT(modes); i++) {
        assert_int_equal(chmod(path, modes[i]), 0);
        is_made_in_place_of(*state);
    }
    if (geteuid() == 0) {
        assert_int_equal(chown(path, 65534, 65534), 0);
        is_made_in_place_of(*state);
    }
}

static void a_folder_in_the_place_of_an_entry_does_no_harm(void **state)
{
    char path[PATH_SIZE];
    assert_int_equal(mkdir(entry_path(*state, 1, path), 0700), 0);
    cubinet_cache *cache = open_cache(*state);
    assert_int_equal(obtain(cache, 1, SIZE), CBN_CACHE_MADE);
    assert_int_equal(stats_of(cache).store_failures, 1);
    assert_int_equal(obtain(cache, 1, SIZE), CBN_CACHE_MEMORY);
    cubinet_cache_close(cache);
    assert_int_equal(count_files(*state, "tmp-"), 0);
}

/* A file whose header promises more than there is memory for. */
static void a_huge_file_is_a_miss(void **state)
{
    char path[PATH_SIZE];
    assert_int_equal(obtain_anew(*state, 1, SIZE), CBN_CACHE_MADE);
    if (truncate(entry_path(*state, 1, path), (off_t)1 << 40) != 0) {
        skip(); /* the file system has no files of that size */
    }
    is_made_in_place_of(*state);
}

struct found {
    int count;
    char text[PATH_SIZE];
};

static void note_damage(void *user, const char *file, const char *what)
{
    struct found *found = user;
    found->count++;
    snprintf(found->text, sizeof(found->text), "%s: %s", file, what);
}

static void verify_finds_and_removes_what_is_damaged(void **state)
{
    char path[PATH_SIZE], other[PATH_SIZE];
    unsigned char bytes[ROOM];
    cubinet_cache *cache = open_cache(*state);
    for (uint64_t i = 1; i <= 5; i++) {
        assert_int_equal(obtain(cache, i, SIZE), CBN_CACHE_MADE);
    }
    struct found found = {0};
    cubinet_cache_removed removed = {.size = sizeof(removed)};
    assert_int_equal(cubinet_cache_verify(cache, note_damage, &found, &removed), CUBINET_OK);
    assert_int_equal(found.count, 0);
    assert_int_equal(removed.entries, 0);
    assert_int_equal(removed.left_entries, 5);

    size_t size = read_entry(entry_path(*state, 2, path), bytes, sizeof(bytes));
    bytes[size / 2] ^= 1;
    write_entry(path, bytes, size);
    assert_int_equal(rename(entry_path(*state, 3, other), entry_path(*state, 9, path)), 0);
    assert_int_equal(cubinet_cache_verify(cache, note_damage, &found, &removed), CUBINET_OK);
    assert_int_equal(found.count, 2);
    assert_int_equal(removed.entries, 2);
    assert_int_equal(removed.bytes, 2 * size);
    assert_int_equal(removed.left_entries, 3);
    assert_int_equal(removed.left_bytes, 3 * size);
    cubinet_cache_close(cache);
    assert_int_equal(count_files(*state, "") - count_files(*state, "lock") - count_files(*state, "counters"),
                     3);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, folder_create, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(each_byte_flipped_is_a_miss),
        TEST(each_truncation_is_a_miss),
        TEST(an_entry_of_another_key_is_a_miss),
        TEST(what_is_no_regular_file_is_a_miss),
        TEST(what_others_can_write_is_a_miss),
        TEST(a_folder_in_the_place_of_an_entry_does_no_harm),
        TEST(a_huge_file_is_a_miss),
        TEST(verify_finds_and_removes_what_is_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
