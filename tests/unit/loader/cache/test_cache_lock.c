/* SPDX-License-Identifier: Apache-2.0 */
/* Locks between processes. The linker's --wrap has nanosleep, which is called only by who waits for a lock,
 * let go of the lock, so that nothing depends on time. */
#include "cache_fixture.h"
#include "loader/cache/cache_lock.h"
#include "unit.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int __real_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);

enum { BYTE = 1000, LONG_MS = 60000 };

static struct cbn_cache_lock held = {.fd = -1}; /* until somebody waits for it */
static pid_t holder;                            /* likewise */
static int pauses;

int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
    pauses++;
    cbn_cache_unlock(&held);
    if (holder) {
        kill(holder, SIGKILL);
        end_of(holder);
        holder = 0;
    }
    return __real_nanosleep(time, left);
}

static struct cbn_cache_folder open_folder(const char *path)
{
    struct cbn_cache_folder folder;
    char *problem = NULL;
    assert_int_equal(cbn_cache_folder_open(path, CBN_CACHE_FOLDER_OWN, &folder, &problem), CUBINET_OK);
    return folder;
}

static void one_holds_it_and_others_do_not(void **state)
{
    struct cbn_cache_folder folder = open_folder(*state);
    struct cbn_cache_lock lock = {.fd = -1}, other = {.fd = -1};
    assert_int_equal(cbn_cache_lock(&folder, BYTE, 0, &lock), CBN_CACHE_LOCKED);
    assert_int_equal(cbn_cache_lock(&folder, BYTE, 0, &other), CBN_CACHE_LOCK_BUSY);
    assert_int_equal(other.fd, -1);
    assert_int_equal(cbn_cache_lock(&folder, BYTE + 1, 0, &other), CBN_CACHE_LOCKED);
    cbn_cache_unlock(&other);
    cbn_cache_unlock(&lock);
    cbn_cache_unlock(&lock); /* once is enough */
    assert_int_equal(cbn_cache_lock(&folder, BYTE, 0, &lock), CBN_CACHE_LOCKED);
    cbn_cache_unlock(&lock);
    cbn_cache_folder_close(&folder);
}

static void who_waited_is_told(void **state)
{
    struct cbn_cache_folder folder = open_folder(*state);
    struct cbn_cache_lock lock = {.fd = -1};
    assert_int_equal(cbn_cache_lock(&folder, BYTE, 0, &held), CBN_CACHE_LOCKED);
    pauses = 0;
    assert_int_equal(cbn_cache_lock(&folder, BYTE, LONG_MS, &lock), CBN_CACHE_LOCKED_LATE);
    assert_int_equal(pauses, 1);
    cbn_cache_unlock(&lock);
    cbn_cache_folder_close(&folder);
}

/* A process that holds the byte until it is killed; ready once it does. */
static pid_t start_holder(const struct cbn_cache_folder *folder)
{
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork_process();
    if (child == 0) {
        struct cbn_cache_lock lock = {.fd = -1};
        bool has_lock = cbn_cache_lock(folder, BYTE, 0, &lock) == CBN_CACHE_LOCKED;
        if (!has_lock || write(ready[1], "", 1) != 1) {
            _exit(1);
        }
        for (;;) {
            pause();
        }
    }
    char byte;
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return child;
}

static void a_killed_process_holds_nothing(void **state)
{
    struct cbn_cache_folder folder = open_folder(*state);
    struct cbn_cache_lock lock = {.fd = -1};
    holder = start_holder(&folder);
    assert_int_equal(cbn_cache_lock(&folder, BYTE, 0, &lock), CBN_CACHE_LOCK_BUSY);
    assert_int_equal(cbn_cache_lock(&folder, BYTE, LONG_MS, &lock), CBN_CACHE_LOCKED_LATE);
    cbn_cache_unlock(&lock);
    cbn_cache_folder_close(&folder);
}

/* A child that was forked while the lock was held has its descriptor too, and keeps it. */
static void a_forked_child_does_not_keep_it(void **state)
{
    struct cbn_cache_folder folder = open_folder(*state);
    struct cbn_cache_lock lock = {.fd = -1}, other = {.fd = -1};
    assert_int_equal(cbn_cache_lock(&folder, BYTE, 0, &lock), CBN_CACHE_LOCKED);
    pid_t child = fork_process();
    if (child == 0) {
        for (;;) {
            pause();
        }
    }
    cbn_cache_unlock(&lock);
    assert_int_equal(cbn_cache_lock(&folder, BYTE, 0, &other), CBN_CACHE_LOCKED);
    cbn_cache_unlock(&other);
    assert_int_equal(kill(child, SIGKILL), 0);
    end_of(child);
    cbn_cache_folder_close(&folder);
}

static void keys_have_bytes_of_their_own(void **state)
{
    (void)state;
    struct cbn_digest digest;
    memset(digest.bytes, 0xff, sizeof(digest.bytes));
    int64_t last = cbn_cache_lock_of(&digest);
    assert_true(last > 0);
    digest.bytes[7] = 0x7f;
    assert_true(cbn_cache_lock_of(&digest) != last);
    memset(digest.bytes, 0, sizeof(digest.bytes));
    assert_int_equal(cbn_cache_lock_of(&digest), 0);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, folder_create, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(one_holds_it_and_others_do_not), TEST(who_waited_is_told),
        TEST(a_killed_process_holds_nothing), TEST(a_forked_child_does_not_keep_it),
        TEST(keys_have_bytes_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
