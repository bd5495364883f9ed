/* SPDX-License-Identifier: Apache-2.0 */
/* The layer on other machines, played by a table: what it has is used and kept, what it says wrongly is not.
 */
#include "cache_fixture.h"
#include "loader/cache/cache_find.h"
#include "loader/cache/cache_remote.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 8 };

struct machine {
    char names[MOST][CBN_CACHE_NAME_SIZE];
    unsigned char *entries[MOST];
    size_t sizes[MOST];
    size_t count;
    size_t flip;     /* what is handed over has this byte altered; 0: none */
    size_t cut;      /* and so many bytes less */
    bool says_other; /* for every key it hands over the first entry */
    int finds;
};

static int place_of(const struct machine *machine, const struct cbn_cache_key *key)
{
    char name[CBN_CACHE_NAME_SIZE];
    cbn_cache_entry_name(key, name);
    for (size_t i = 0; i < machine->count; i++) {
        if (strcmp(machine->names[i], name) == 0) {
            return (int)i;
        }
    }
    return machine->says_other && machine->count > 0 ? 0 : -1;
}

static bool find(void *user, const struct cbn_cache_key *key, void **out_entry, size_t *out_size)
{
    struct machine *machine = user;
    int place = place_of(machine, key);
    machine->finds++;
    if (place < 0) {
        return false;
    }
    size_t size = machine->sizes[place] - machine->cut;
    unsigned char *bytes = malloc(size ? size : 1);
    assert_non_null(bytes);
    memcpy(bytes, machine->entries[place], size);
    if (machine->flip) {
        bytes[machine->flip] ^= 1;
    }
    *out_entry = bytes;
    *out_size = size;
    return true;
}

static void store(void *user, const struct cbn_cache_key *key, const void *entry, size_t size)
{
    struct machine *machine = user;
    assert_true(machine->count < MOST);
    size_t i = machine->count++;
    cbn_cache_entry_name(key, machine->names[i]);
    machine->entries[i] = malloc(size);
    assert_non_null(machine->entries[i]);
    memcpy(machine->entries[i], entry, size);
    machine->sizes[i] = size;
}

static void machine_free(struct machine *machine)
{
    for (size_t i = 0; i < machine->count; i++) {
        free(machine->entries[i]);
    }
}

static cubinet_cache *open_with(const char *folder, struct machine *machine)
{
    const cubinet_cache_options options = {
        .size = sizeof(options), .directory = folder, .shared_directory = ""};
    cubinet_cache *cache = NULL;
    assert_int_equal(cubinet_cache_open(&options, &cache), CUBINET_OK);
    const struct cbn_cache_remote remote = {find, store, machine};
    cbn_cache_set_remote(cache, &remote);
    return cache;
}

static int obtain_with(const char *folder, struct machine *machine, uint64_t number)
{
    cubinet_cache *cache = open_with(folder, machine);
    int source = obtain(cache, number, 1000);
    cubinet_cache_close(cache);
    return source;
}

static void what_one_machine_made_another_finds(void **state)
{
    struct machine machine = {0};
    char here[PATH_SIZE], there[PATH_SIZE];
    path_below(*state, "here", here);
    path_below(*state, "there", there);
    assert_int_equal(obtain_with(here, &machine, 1), CBN_CACHE_MADE);
    assert_int_equal(machine.count, 1);
    assert_int_equal(obtain_with(there, &machine, 1), CBN_CACHE_REMOTE);
    assert_int_equal(machine.count, 1); /* and does not send it back */
    int finds = machine.finds;
    assert_int_equal(obtain_with(there, &machine, 1), CBN_CACHE_DISK);
    assert_int_equal(machine.finds, finds);
    assert_int_equal(obtain_with("", &machine, 1), CBN_CACHE_REMOTE); /* without a folder, too */
    machine_free(&machine);
}

static void what_is_altered_cut_or_another_is_a_miss(void **state)
{
    struct machine machine = {0};
    char here[PATH_SIZE], there[PATH_SIZE];
    path_below(*state, "here", here);
    path_below(*state, "there", there);
    obtain_with(here, &machine, 1);
    size_t size = machine.sizes[0];
    for (machine.flip = 1; machine.flip < size; machine.flip += 29) {
        assert_int_equal(obtain_with(there, &machine, 1), CBN_CACHE_MADE);
        assert_int_equal(unlink(entry_path(there, 1, (char[PATH_SIZE]){0})), 0);
        free(machine.entries[--machine.count]);
    }
    machine.flip = 0;
    for (machine.cut = 1; machine.cut <= size; machine.cut += 37) {
        assert_int_equal(obtain_with(there, &machine, 1), CBN_CACHE_MADE);
        assert_int_equal(unlink(entry_path(there, 1, (char[PATH_SIZE]){0})), 0);
        free(machine.entries[--machine.count]);
    }
    machine.cut = 0;
    machine.says_other = true;
    assert_int_equal(obtain_with(there, &machine, 2), CBN_CACHE_MADE);
    machine_free(&machine);
}

static void finding_and_keeping_use_it_as_they_are_told(void **state)
{
    struct machine machine = {0};
    cubinet_cache *cache = open_with(*state, &machine);
    struct cbn_cache_key key = numbered_key(1);
    cbn_cache_put(cache, &key, "one", 3, CBN_CACHE_DISK);
    assert_int_equal(machine.count, 0);
    cbn_cache_put(cache, &key, "one", 3, CBN_CACHE_REMOTE);
    assert_int_equal(machine.count, 1);
    struct cbn_blob *blob = cbn_cache_find(cache, &key, CBN_CACHE_REMOTE);
    assert_non_null(blob);
    assert_memory_equal(blob->data, "one", 3);
    cbn_blob_release(blob);
    machine.flip = machine.sizes[0] - 1;
    assert_null(cbn_cache_find(cache, &key, CBN_CACHE_REMOTE));
    assert_int_equal(stats_of(cache).damaged, 1);
    cbn_cache_key_free(&key);
    cubinet_cache_close(cache);
    machine_free(&machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_one_machine_made_another_finds, folder_create, folder_remove),
        cmocka_unit_test_setup_teardown(what_is_altered_cut_or_another_is_a_miss, folder_create,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(finding_and_keeping_use_it_as_they_are_told, folder_create,
                                        folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
