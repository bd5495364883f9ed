/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "interpose/hidden_files.h"
#include "interpose/opened_files.h"
#include "interpose/working_folder.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void notes_what_is_opened_and_what_is_not_there(void **state)
{
    (void)state;
    opened_files_start();
    fclose(fopen("/etc/passwd", "r"));
    fclose(fopen64("/etc/passwd", "r"));
    close(open("/etc/hostname", O_RDONLY));
    errno = 0;
    assert_null(fopen("/no such/file.h", "r"));
    assert_int_equal(errno, ENOENT);
    assert_int_equal(open64("/no such/other.h", O_RDONLY), -1);
    fclose(fopen("/dev/null", "r")); /* of the kernel */
    fclose(fopen("/dev/null", "w"));
    struct opened_files files;
    assert_int_equal(opened_files_stop(&files), CUBINET_OK);
    assert_int_equal(files.opened_count, 2);
    assert_string_equal(files.opened[0], "/etc/hostname");
    assert_string_equal(files.opened[1], "/etc/passwd");
    assert_int_equal(files.missing_count, 2);
    assert_string_equal(files.missing[0], "/no such/file.h");
    assert_string_equal(files.missing[1], "/no such/other.h");
    assert_false(files.replaced);
    opened_files_free(&files);
}

static void notices_a_path_that_leads_elsewhere(void **state)
{
    (void)state;
    char link[] = "/tmp/test_opened_files.XXXXXX";
    close(mkstemp(link));
    unlink(link);
    assert_int_equal(symlink("/etc/passwd", link), 0);
    opened_files_start();
    fclose(fopen(link, "r"));
    unlink(link);
    assert_int_equal(symlink("/etc/hostname", link), 0);
    struct opened_files files;
    assert_int_equal(opened_files_stop(&files), CUBINET_OK);
    unlink(link);
    assert_true(files.replaced);
    opened_files_free(&files);
}

static void notes_nothing_unless_started(void **state)
{
    (void)state;
    struct opened_files files;
    fclose(fopen("/etc/passwd", "r"));
    assert_int_equal(opened_files_stop(&files), CUBINET_OK);
    assert_int_equal(files.opened_count, 0);
    opened_files_free(&files);
}

/* NVRTC looks the functions up as every library does: through the dynamic symbols. */
static void is_what_libraries_find(void **state)
{
    (void)state;
    FILE *(*found)(const char *, const char *);
    void *symbol = dlsym(RTLD_DEFAULT, "fopen");
    memcpy(&found, &symbol, sizeof(found));
    opened_files_start();
    fclose(found("/etc/passwd", "r"));
    struct opened_files files;
    assert_int_equal(opened_files_stop(&files), CUBINET_OK);
    assert_int_equal(files.opened_count, 1);
    opened_files_free(&files);
}

static void *open_many(void *argument)
{
    (void)argument;
    char path[64];
    for (int i = 0; i < 200; i++) {
        snprintf(path, sizeof(path), "/no such/%d.h", i);
        assert_null(fopen(path, "r"));
    }
    return NULL;
}

static void works_in_several_threads(void **state)
{
    (void)state;
    pthread_t threads[4];
    opened_files_start();
    for (size_t i = 0; i < COUNT(threads); i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, open_many, NULL), 0);
    }
    for (size_t i = 0; i < COUNT(threads); i++) {
        pthread_join(threads[i], NULL);
    }
    struct opened_files files;
    assert_int_equal(opened_files_stop(&files), CUBINET_OK);
    assert_int_equal(files.missing_count, 200);
    opened_files_free(&files);
}

static void pretends_another_working_folder(void **state)
{
    (void)state;
    char truth[4096];
    char told[4096];
    char tiny[2];
    assert_non_null(getcwd(truth, sizeof(truth)));
    working_folder_pretend("/another");
    assert_string_equal(getcwd(told, sizeof(told)), "/another");
    assert_null(getcwd(tiny, sizeof(tiny)));
    assert_int_equal(errno, ERANGE);
    working_folder_pretend(NULL);
    assert_string_equal(getcwd(told, sizeof(told)), truth);
}

/* As the assembler asks: through the symbols that it was linked against. */
static void hides_files_from_stat_alone(void **state)
{
    (void)state;
    int (*old_stat)(int, const char *, struct stat *);
    void *symbol = dlsym(RTLD_DEFAULT, "__xstat");
    memcpy(&old_stat, &symbol, sizeof(old_stat));
    struct stat about;
    assert_non_null(symbol);
    assert_int_equal(old_stat(1, "/etc/passwd", &about), 0);
    hidden_files_hide(true);
    assert_int_equal(old_stat(1, "/etc/passwd", &about), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(stat("/etc/passwd", &about), -1);
    FILE *file = fopen("/etc/passwd", "r");
    hidden_files_hide(false);
    assert_non_null(file);
    fclose(file);
    assert_int_equal(stat("/etc/passwd", &about), 0);
    assert_true(S_ISREG(about.st_mode));
}

static void finds_files_in_the_pretended_folder(void **state)
{
    (void)state;
    struct stat about;
    struct opened_files files;
    char *folder = getcwd(NULL, 0);
    assert_non_null(folder);
    assert_int_equal(chdir("/etc"), 0);
    opened_files_start();
    working_folder_pretend("/no such folder");
    FILE *file = fopen("/no such folder/passwd", "r");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(stat("/no such folder/passwd", &about), 0);
    assert_int_equal(stat("/no such folder 2/passwd", &about), -1);
    assert_string_equal(working_folder_path("/no such folder"), "/no such folder");
    working_folder_pretend("relative");
    assert_string_equal(working_folder_path("relative/passwd"), "relative/passwd");
    working_folder_pretend(NULL);
    assert_int_equal(stat("/no such folder/passwd", &about), -1);
    assert_int_equal(opened_files_stop(&files), CUBINET_OK);
    assert_int_equal(files.opened_count, 1);
    assert_string_equal(files.opened[0], "passwd");
    opened_files_free(&files);
    assert_int_equal(chdir(folder), 0);
    free(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_files_in_the_pretended_folder),
        cmocka_unit_test(hides_files_from_stat_alone),
        cmocka_unit_test(notes_what_is_opened_and_what_is_not_there),
        cmocka_unit_test(notices_a_path_that_leads_elsewhere),
        cmocka_unit_test(notes_nothing_unless_started),
        cmocka_unit_test(is_what_libraries_find),
        cmocka_unit_test(works_in_several_threads),
        cmocka_unit_test(pretends_another_working_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
