/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are written whole or not at all, also when the process is ended in the middle. */
#include "unit.h"

#include "base/atomic_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/cubinet-test-XXXXXX";
static char path[sizeof(folder) + 16];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(path, sizeof(path), "%s/file", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

/* Whether the file system has files without names. The tests are run with and without. */
static bool has_unnamed = true;

int __real_open(const char *file, int flags, ...);
int __wrap_open(const char *file, int flags, ...);
int __wrap_open(const char *file, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    bool is_unnamed = (flags & O_TMPFILE) == O_TMPFILE;
    mode_t mode = (flags & O_CREAT) || is_unnamed ? va_arg(args, mode_t) : 0;
    va_end(args);
    if (is_unnamed && !has_unnamed) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return __real_open(file, flags, mode);
}

static int with_unnamed(void **state)
{
    (void)state;
    int fd = open("/tmp", O_WRONLY | O_TMPFILE, 0600);
    has_unnamed = fd >= 0;
    close(fd);
    return make_folder(state);
}

static int without_unnamed(void **state)
{
    has_unnamed = false;
    return make_folder(state);
}

/* In place of the C library's. */
static unsigned syncs;

int fsync(int fd)
{
    (void)fd;
    syncs++;
    return 0;
}

static size_t count_files(void)
{
    size_t count = 0;
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (const struct dirent *entry; (entry = readdir(directory));) {
        count += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
    }
    closedir(directory);
    return count;
}

static void write_how(const char *text, unsigned how)
{
    struct atomic_file file;
    assert_int_equal(atomic_file_open(path, &file), CUBINET_OK);
    fputs(text, file.stream);
    assert_int_equal(atomic_file_commit(&file, how), CUBINET_OK);
}

static void write_text(const char *text)
{
    write_how(text, 0);
}

static void assert_text(const char *expected)
{
    char text[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, expected);
}

static void file_is_new_when_it_is_committed(void **state)
{
    (void)state;
    write_text("old");
    struct atomic_file file;
    assert_int_equal(atomic_file_open(path, &file), CUBINET_OK);
    fputs("new", file.stream);
    fflush(file.stream);
    assert_text("old");
    assert_int_equal(count_files(), has_unnamed ? 1 : 2);
    assert_int_equal(atomic_file_commit(&file, 0), CUBINET_OK);
    assert_text("new");
    assert_int_equal(count_files(), 1);
    atomic_file_discard(&file); /* nothing is left to discard */
    assert_text("new");
}

static mode_t mode_now(void)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_mode & 07777;
}

static void new_file_follows_the_umask(void **state)
{
    (void)state;
    unlink(path);
    mode_t before = umask(027);
    write_how("new", 0);
    umask(before);
    assert_int_equal(mode_now(), 0640);
    assert_int_equal(unlink(path), 0);
}

static void replaced_file_keeps_its_mode(void **state)
{
    static const mode_t modes[] = {0600, 0755, 0444, 0666, 0200};
    char link_path[sizeof(path) + 8];
    (void)state;
    write_how("old", 0);
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        assert_int_equal(chmod(path, modes[i]), 0);
        write_how(i % 2 ? "one" : "other", i % 2 ? ATOMIC_FILE_KEEP_IF_EQUAL : 0);
        assert_int_equal(mode_now(), modes[i]);
    }
    assert_int_equal(chmod(path, 0600), 0);
    snprintf(link_path, sizeof(link_path), "%s.link", path);
    assert_int_equal(symlink(path, link_path), 0);
    struct atomic_file file;
    assert_int_equal(atomic_file_open(link_path, &file), CUBINET_OK);
    assert_int_equal(atomic_file_commit(&file, 0), CUBINET_OK);
    assert_int_equal(mode_now(), 0600);
    assert_int_equal(unlink(link_path), 0);
    assert_int_equal(unlink(path), 0);
}

/* Nobody else reads it before it is there, either. */
static void mode_is_set_from_the_start(void **state)
{
    struct atomic_file file;
    struct stat info;
    (void)state;
    write_how("old", 0);
    assert_int_equal(chmod(path, 0400), 0);
    assert_int_equal(atomic_file_open(path, &file), CUBINET_OK);
    assert_int_equal(fstat(fileno(file.stream), &info), 0);
    assert_int_equal(info.st_mode & 0177, 0);
    assert_int_equal(atomic_file_set_mode(&file, 0751), CUBINET_OK);
    assert_int_equal(atomic_file_commit(&file, 0), CUBINET_OK);
    assert_int_equal(mode_now(), 0751);
    assert_int_equal(unlink(path), 0);
}

static void discarded_file_leaves_nothing(void **state)
{
    (void)state;
    write_text("old");
    struct atomic_file file;
    assert_int_equal(atomic_file_open(path, &file), CUBINET_OK);
    fputs("new", file.stream);
    atomic_file_discard(&file);
    atomic_file_discard(&file);
    assert_text("old");
    assert_int_equal(count_files(), 1);
}

/* A process that is still writing the same file. */
static void file_of_another_process_stays(void **state)
{
    (void)state;
    struct atomic_file first, second;
    assert_int_equal(atomic_file_open(path, &first), CUBINET_OK);
    assert_int_equal(atomic_file_open(path, &second), CUBINET_OK);
    fputs("first", first.stream);
    fputs("second", second.stream);
    assert_int_equal(atomic_file_commit(&second, 0), CUBINET_OK);
    assert_text("second");
    assert_int_equal(atomic_file_commit(&first, 0), CUBINET_OK);
    assert_text("first");
    assert_int_equal(count_files(), 1);
}

/* What a killed process leaves, which has no lock any more. */
static void leftover_is_removed(void **state)
{
    (void)state;
    static const char *const names[] = {
        "file", "a name that leaves no room in its folder for a longer one, aaaaaaaaaa"
                "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
                "ccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"};
    for (size_t i = 0; i < COUNT(names); i++) {
        char target[sizeof(folder) + 256];
        char leftover[sizeof(folder) + 256];
        snprintf(target, sizeof(target), "%s/%s", folder, names[i]);
        snprintf(leftover, sizeof(leftover), "%s/.cubinet-%.200s-0.tmp", folder, names[i]);
        fclose(fopen(leftover, "w"));
        struct atomic_file file;
        assert_int_equal(atomic_file_open(target, &file), CUBINET_OK);
        assert_int_equal(atomic_file_commit(&file, 0), CUBINET_OK);
        assert_int_equal(access(leftover, F_OK), -1);
        assert_int_equal(unlink(target), 0);
        assert_int_equal(count_files(), 0);
    }
}

/* Something else by that name. */
static void folder_is_no_obstacle(void **state)
{
    (void)state;
    char obstacle[sizeof(folder) + 64];
    snprintf(obstacle, sizeof(obstacle), "%s/.cubinet-file-0.tmp", folder);
    assert_int_equal(mkdir(obstacle, 0700), 0);
    write_text("new");
    assert_text("new");
    assert_int_equal(rmdir(obstacle), 0);
}

static void equal_file_stays_if_asked_for(void **state)
{
    (void)state;
    struct stat before, after;
    write_text("old");
    assert_int_equal(stat(path, &before), 0);
    write_how("old", ATOMIC_FILE_KEEP_IF_EQUAL);
    assert_int_equal(stat(path, &after), 0);
    assert_true(after.st_ino == before.st_ino);
    write_how("new", ATOMIC_FILE_KEEP_IF_EQUAL);
    assert_text("new");
    assert_int_equal(count_files(), 1);
}

static void file_and_folder_are_synced_unless_asked_otherwise(void **state)
{
    (void)state;
    syncs = 0;
    write_text("old");
    assert_int_equal(syncs, 2);
    write_how("new", ATOMIC_FILE_UNSYNCED);
    assert_int_equal(syncs, 2);
    assert_text("new");
    assert_int_equal(count_files(), 1);
}

/* As the other tests' write_text(), but without what is tested: the handlers of signals are set up with the
 * first atomic file of a process, and that has to be in the child. */
static void write_plainly(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Ends a child with a file half written, and returns how it ended. */
static int end_child(int signal_number, void (*before)(int))
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(signal_number, before);
        struct atomic_file file;
        if (atomic_file_open(path, &file) != CUBINET_OK) {
            _exit(EXIT_FAILURE);
        }
        fputs("half", file.stream);
        fflush(file.stream);
        raise(signal_number);
        bool committed = atomic_file_commit(&file, 0) == CUBINET_OK;
        _exit(committed ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void signal_removes_what_was_written(void **state)
{
    (void)state;
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    write_plainly("old");
    for (size_t i = 0; i < COUNT(signals); i++) {
        int status = end_child(signals[i], SIG_DFL);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signals[i]);
        assert_text("old");
        assert_int_equal(count_files(), 1);
    }
}

static void killed_process_leaves_nothing_for_long(void **state)
{
    (void)state;
    write_plainly("old");
    int status = end_child(SIGKILL, SIG_DFL);
    assert_true(WIFSIGNALED(status));
    assert_text("old");
    assert_int_equal(count_files(), has_unnamed ? 1 : 2);
    write_text("new");
    assert_text("new");
    assert_int_equal(count_files(), 1);
}

static void ignored_signal_stays_ignored(void **state)
{
    (void)state;
    write_plainly("old");
    int status = end_child(SIGHUP, SIG_IGN); /* as under nohup */
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), EXIT_SUCCESS);
    assert_text("half");
}

static void link_that_leads_nowhere_is_replaced(void **state)
{
    (void)state;
    struct stat info;
    unlink(path);
    assert_int_equal(symlink("nowhere", path), 0);
    write_text("new");
    assert_int_equal(lstat(path, &info), 0);
    assert_true(S_ISREG(info.st_mode));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signal_removes_what_was_written),
        cmocka_unit_test(killed_process_leaves_nothing_for_long),
        cmocka_unit_test(ignored_signal_stays_ignored),
        cmocka_unit_test(file_is_new_when_it_is_committed),
        cmocka_unit_test(new_file_follows_the_umask),
        cmocka_unit_test(replaced_file_keeps_its_mode),
        cmocka_unit_test(mode_is_set_from_the_start),
        cmocka_unit_test(discarded_file_leaves_nothing),
        cmocka_unit_test(file_of_another_process_stays),
        cmocka_unit_test(folder_is_no_obstacle),
        cmocka_unit_test(equal_file_stays_if_asked_for),
        cmocka_unit_test(file_and_folder_are_synced_unless_asked_otherwise),
        cmocka_unit_test(link_that_leads_nowhere_is_replaced),
        cmocka_unit_test(leftover_is_removed), /* the last: it counts all files */
    };
    pid_t child = fork(); /* each has the handlers of a process of its own */
    int failed = cmocka_run_group_tests(tests, child == 0 ? without_unnamed : with_unnamed, remove_folder);
    int status = 0;
    if (child > 0) {
        assert_int_equal(waitpid(child, &status, 0), child);
    }
    return failed != 0 || status != 0;
}
