/* SPDX-License-Identifier: Apache-2.0 */
/* System calls that fail: each one, once and from then on. What is obtained is right all the same, the
 * program is not told, and nothing half-written is left. And processes that are killed before each of those
 * calls: the next one finds nothing wrong, and makes what is missing. The linker's --wrap puts the functions
 * below in the place of the C library's. */
#include "cache_fixture.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static bool counting;
static int calls;
static int failing;        /* which call fails, counted from 1; 0: none */
static bool for_good;      /* and all after it */
static bool kills;         /* it ends the process instead */
static int failure;        /* errno */
static bool hides_unnamed; /* the file system seems to have no files without a name */
static size_t abandoned;   /* half-written files that could not be removed */

static bool fails(void)
{
    if (!counting) {
        return false;
    }
    calls++;
    if (failing && (calls == failing || (for_good && calls > failing))) {
        if (kills) {
            kill(getpid(), SIGKILL);
        }
        errno = failure;
        return true;
    }
    return false;
}

/* WRAP(result, name, parameters, arguments, result of a failure) */
#define WRAP(type, name, parameters, arguments, failed)                                                      \
    type __real_##name parameters;                                                                           \
    type __wrap_##name parameters;                                                                           \
    type __wrap_##name parameters                                                                            \
    {                                                                                                        \
        return fails() ? (failed) : __real_##name arguments;                                                 \
    }
WRAP(void *, malloc, (size_t size), (size), NULL)
WRAP(void *, calloc, (size_t count, size_t size), (count, size), NULL)
WRAP(int, fstat, (int fd, struct stat *info), (fd, info), -1)
WRAP(ssize_t, read, (int fd, void *bytes, size_t size), (fd, bytes, size), -1)
WRAP(ssize_t, pread, (int fd, void *bytes, size_t size, off_t at), (fd, bytes, size, at), -1)
WRAP(ssize_t, pwrite, (int fd, const void *bytes, size_t size, off_t at), (fd, bytes, size, at), -1)
WRAP(int, fsync, (int fd), (fd), -1)
WRAP(int, renameat, (int from, const char *old, int to, const char *name), (from, old, to, name), -1)
WRAP(int, linkat, (int from, const char *old, int to, const char *name, int flags),
     (from, old, to, name, flags), -1)
WRAP(int, unlinkat, (int fd, const char *name, int flags), (fd, name, flags), -1)
WRAP(int, futimens, (int fd, const struct timespec *times), (fd, times), -1)
WRAP(ssize_t, getrandom, (void *bytes, size_t size, unsigned flags), (bytes, size, flags), -1)
#undef WRAP

int __real_openat(int fd, const char *name, int flags, ...);
int __wrap_openat(int fd, const char *name, int flags, ...);
int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);
ssize_t __real_write(int fd, const void *bytes, size_t size);
ssize_t __wrap_write(int fd, const void *bytes, size_t size);

int __wrap_openat(int fd, const char *name, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(args, mode_t) : 0;
    va_end(args);
    if (hides_unnamed && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return fails() ? -1 : __real_openat(fd, name, flags, mode);
}

int __wrap_fcntl(int fd, int command, ...)
{
    va_list args;
    va_start(args, command);
    void *argument = va_arg(args, void *);
    va_end(args);
    if (fails()) {
        errno = failure == EACCES ? ENOLCK : failure; /* EACCES would say that another has the lock */
        return -1;
    }
    return __real_fcntl(fd, command, argument);
}

/* A disk that becomes full takes the first half. */
ssize_t __wrap_write(int fd, const void *bytes, size_t size)
{
    if (fails()) {
        ssize_t half = failure == EINTR ? 0 : __real_write(fd, bytes, size / 2);
        errno = half < 0 ? EIO : failure;
        return -1;
    }
    return __real_write(fd, bytes, size);
}

static const int errors[] = {ENOSPC, EIO, EACCES, EINTR};

/* Obtains with one call failing; 0: none. Only memory may be what the program is told of. */
static int obtain_failing(const char *folder, int call)
{
    cubinet_cache *cache = open_cache(folder);
    struct cbn_cache_key key = numbered_key(1);
    struct product product = {.number = 1, .size = 3000};
    struct cbn_blob *blob = NULL;
    failing = call;
    calls = 0;
    counting = true;
    cubinet_status status = cbn_cache_obtain(cache, &key, make_product, &product, NULL, &blob);
    counting = false;
    if (status) {
        assert_int_equal(status, CUBINET_ERROR_OUT_OF_MEMORY);
        assert_null(blob);
    } else {
        assert_true(is_product(blob, 1, 3000));
    }
    cbn_blob_release(blob);
    cbn_cache_key_free(&key);
    cubinet_cache_close(cache);
    return calls;
}

/* So that the next process that writes an entry looks through the folder: then its every call has a turn. */
static void forget_counters(const char *folder)
{
    char path[PATH_SIZE];
    unlink(path_below(folder, "counters", path));
}

/* Half-written files may stay only where they can't be removed. */
static void check_folder(const char *folder)
{
    char path[PATH_SIZE];
    cubinet_cache *cache = open_cache(folder);
    cubinet_cache_removed removed = {.size = sizeof(removed)};
    assert_int_equal(cubinet_cache_verify(cache, NULL, NULL, &removed), CUBINET_OK);
    assert_int_equal(removed.entries, 0);
    assert_true(removed.left_entries <= 1);
    size_t half_written = count_files(folder, "tmp-");
    assert_true(for_good || half_written == abandoned);
    abandoned = half_written;
    cubinet_cache_close(cache);
    unlink(entry_path(folder, 1, path));
    forget_counters(folder);
}

static void fail_each_call(const char *folder, bool has_entry)
{
    if (has_entry) {
        obtain_failing(folder, 0);
    }
    int most = obtain_failing(folder, 0);
    check_folder(folder);
    assert_true(most > 4);
    for (int call = 1; call <= most; call++) {
        if (has_entry) {
            char path[PATH_SIZE];
            obtain_failing(folder, 0);
            set_used(entry_path(folder, 1, path), time(NULL) - 100000); /* so that the use is noted */
        }
        obtain_failing(folder, call);
        check_folder(folder);
    }
}

static void fail_each_call_each_way(const char *folder, bool has_entry)
{
    abandoned = 0;
    for (size_t i = 0; i < COUNT(errors); i++) {
        failure = errors[i];
        for_good = false;
        fail_each_call(folder, has_entry);
        for_good = failure != EINTR; /* which is tried again for as long as it comes */
        fail_each_call(folder, has_entry);
    }
    for_good = false;
}

static void each_call_of_a_miss_fails(void **state)
{
    fail_each_call_each_way(*state, false);
}

static void each_call_of_a_hit_fails(void **state)
{
    fail_each_call_each_way(*state, true);
}

/* The status of a process that obtains with a call that kills it. */
static int obtain_killed(const char *folder, int call)
{
    pid_t child = fork_process();
    if (child == 0) {
        kills = true;
        obtain_failing(folder, call);
        _exit(0);
    }
    return end_of(child);
}

static void kill_at_each_call(const char *folder)
{
    char path[PATH_SIZE];
    int most = obtain_failing(folder, 0);
    for (int call = 1; call <= most; call++) {
        unlink(entry_path(folder, 1, path));
        forget_counters(folder);
        assert_int_equal(WTERMSIG(obtain_killed(folder, call)), SIGKILL);
        int source = obtain_anew(folder, 1, 3000);
        assert_true(source == CBN_CACHE_MADE || source == CBN_CACHE_DISK);
        assert_int_equal(obtain_anew(folder, 1, 3000), CBN_CACHE_DISK);
    }
    cubinet_cache *cache = open_cache(folder);
    cubinet_cache_removed removed = {.size = sizeof(removed)};
    assert_int_equal(cubinet_cache_verify(cache, NULL, NULL, &removed), CUBINET_OK);
    assert_int_equal(removed.entries, 0);
    cubinet_cache_close(cache);
}

static bool has_unnamed(const char *folder)
{
    int fd = open(folder, O_WRONLY | O_TMPFILE, 0600);
    close(fd);
    return fd >= 0;
}

static void killed_process_leaves_nothing(void **state)
{
    kill_at_each_call(*state);
    assert_true(count_files(*state, "tmp-") == 0 || !has_unnamed(*state));
}

static void each_call_kills_the_process(void **state)
{
    hides_unnamed = true;
    kill_at_each_call(*state);
    assert_true(count_files(*state, "tmp-") > 0);
    hides_unnamed = false;
}

static void each_call_of_a_miss_fails_with_named_files(void **state)
{
    hides_unnamed = true;
    fail_each_call_each_way(*state, false);
    hides_unnamed = false;
}

static void a_limit_to_file_sizes_is_kept_to(void **state)
{
    cubinet_cache *cache = open_cache(*state);
    assert_int_equal(obtain(cache, 1, 1000), CBN_CACHE_MADE);
    struct rlimit limit, none;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    none = limit;
    none.rlim_cur = 500;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0); /* whose signal would end this program */
    assert_int_equal(obtain(cache, 2, 1000), CBN_CACHE_MADE);
    assert_int_equal(obtain(cache, 3, 100), CBN_CACHE_MADE);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    cubinet_cache_stats stats = stats_of(cache);
    assert_int_equal(stats.store_failures, 1);
    assert_int_equal(stats.stores, 2);
    cubinet_cache_close(cache);
    assert_int_equal(obtain_anew(*state, 2, 1000), CBN_CACHE_MADE);
    assert_int_equal(obtain_anew(*state, 3, 100), CBN_CACHE_DISK);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, folder_create, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(each_call_of_a_miss_fails),
        TEST(each_call_of_a_hit_fails),
        TEST(each_call_of_a_miss_fails_with_named_files),
        TEST(killed_process_leaves_nothing),
        TEST(each_call_kills_the_process),
        TEST(a_limit_to_file_sizes_is_kept_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
