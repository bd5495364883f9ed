/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "base/file.h"
#include "compile/inputs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Each test works in a folder of its own: k.cu and inc/a.h, made an hour ago; k.cubinet made of them;
 * tool/include with the toolkit's cub/b.h. */
static char *includes[] = {"tool/include"};
static const struct toolkit toolkit = {
    .nvrtc = "tool/libnvrtc.so.13", .includes = includes, .include_count = COUNT(includes)};
static struct inputs_record record = {.path = "k.cubinet.inputs", .output = "k.cubinet", .key = {{1, 2, 3}}};
static char *opened[] = {"inc/a.h", "tool/include/cub/b.h"};
static char *missing[] = {"a.h", "cub/b.h", "opt/deep/o.h"};
static const struct opened_files files = {opened, COUNT(opened), missing, COUNT(missing), false};

static void put(const char *path, const char *text)
{
    assert_int_equal(file_replace(path, text, strlen(text)), CUBINET_OK);
}

/* Files that were changed this moment can't be told from such that change during a compile. */
static struct timespec soon(void)
{
    struct timespec time = inputs_clock();
    time.tv_sec += 3600;
    return time;
}

static int enter_folder(void **state)
{
    char *folder = strdup("/tmp/test_inputs.XXXXXX");
    *state = folder;
    if (!folder || !mkdtemp(folder) || chdir(folder) || mkdir("inc", 0777) || mkdir("opt", 0777) ||
        mkdir("tool", 0777) || mkdir("tool/include", 0777) || mkdir("tool/include/cub", 0777) ||
        mkdir("busy", 0777)) {
        return -1;
    }
    put("k.cu", "source");
    put("inc/a.h", "header");
    put("tool/include/cub/b.h", "toolkit's");
    put("k.cubinet", "output");
    return 0;
}

static int remove_folder(void **state)
{
    char command[256];
    snprintf(command, sizeof(command), "rm -rf '%s'", (const char *)*state);
    free(*state);
    return system(command);
}

static struct inputs gather(struct timespec start)
{
    struct inputs inputs;
    assert_int_equal(inputs_gather("k.cu", &files, &toolkit, start, &inputs), CUBINET_OK);
    return inputs;
}

static void save(void)
{
    struct inputs inputs = gather(soon());
    assert_true(inputs.certain);
    assert_int_equal(inputs_save(&record, &inputs, "k.cu:1: warning: w\nline\n"), CUBINET_OK);
    inputs_free(&inputs);
}

static bool is_unchanged(void)
{
    struct inputs inputs;
    char *messages;
    if (!inputs_unchanged(&record, &inputs, &messages)) {
        return false;
    }
    assert_string_equal(messages, "k.cu:1: warning: w\nline\n");
    assert_int_equal(inputs.count, 6);
    assert_string_equal(inputs.items[0].path, "k.cu");
    inputs_free(&inputs);
    free(messages);
    return true;
}

static void sees_that_nothing_changed(void **state)
{
    (void)state;
    assert_false(is_unchanged());
    save();
    assert_true(is_unchanged());
    put("inc/a.h", "header"); /* another file with the same bytes */
    put("inc/unrelated.h", "new");
    assert_true(is_unchanged());
}

static void sees_each_change(void **state)
{
    (void)state;
    save();
    put("k.cu", "other source");
    assert_false(is_unchanged());
    put("k.cu", "source");
    put("inc/a.h", "other header");
    assert_false(is_unchanged());
    put("inc/a.h", "header");
    assert_true(is_unchanged());
    assert_int_equal(unlink("inc/a.h"), 0);
    assert_false(is_unchanged());
    put("inc/a.h", "header");
    put("k.cubinet", "damaged");
    assert_false(is_unchanged());
    put("k.cubinet", "output");
    assert_true(is_unchanged());
    put("a.h", "shadows inc/a.h");
    assert_false(is_unchanged());
    assert_int_equal(unlink("a.h"), 0);
    record.key.bytes[0]++;
    assert_false(is_unchanged());
    record.key.bytes[0]--;
    assert_true(is_unchanged());
    put("tool/include/cub/b.h", "updated");
    assert_false(is_unchanged());
}

static void takes_no_damaged_record(void **state)
{
    (void)state;
    save();
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(file_read(record.path, &text, &size), CUBINET_OK);
    for (size_t i = 0; i < size; i++) {
        text[i] ^= 1;
        assert_int_equal(file_replace(record.path, text, size), CUBINET_OK);
        assert_false(is_unchanged());
        text[i] ^= 1;
        assert_int_equal(file_replace(record.path, text, i), CUBINET_OK);
        assert_false(is_unchanged());
    }
    free(text);
}

static void keeps_no_record_of_what_is_uncertain(void **state)
{
    (void)state;
    static const struct timespec long_ago = {.tv_sec = 1};
    save();
    struct inputs inputs = gather(long_ago); /* the files changed after the compile began */
    assert_false(inputs.certain);
    assert_int_equal(inputs_save(&record, &inputs, ""), CUBINET_OK);
    assert_int_equal(access(record.path, F_OK), -1);
    inputs_free(&inputs);
    assert_int_equal(access(record.path, F_OK), -1);

    put("inc/a.h", "const char *when = __TIME__;");
    inputs = gather(soon());
    assert_false(inputs.certain);
    inputs_free(&inputs);

    put("inc/a.h", "header");
    put("a.h", "appeared since");
    inputs = gather(soon());
    assert_false(inputs.certain);
    inputs_free(&inputs);
}

static bool has(const struct cbn_text_list *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i], text) == 0) {
            return true;
        }
    }
    return false;
}

static void depends_on_the_folders_of_missing_headers(void **state)
{
    (void)state;
    char *output[] = {"busy/k.cubinet"};
    const struct cbn_text_list written = {.items = output, .count = COUNT(output)};
    struct inputs inputs = gather(soon());
    struct cbn_text_list paths;
    assert_int_equal(inputs_dependencies(&inputs, &toolkit, &written, &paths), CUBINET_OK);
    assert_string_equal(paths.items[0], "k.cu");
    assert_string_equal(paths.items[1], "inc/a.h");
    assert_true(has(&paths, "."));   /* of a.h, which is the user's, though the folder is busy */
    assert_true(has(&paths, "opt")); /* the nearest that is there to opt/deep/o.h */
    assert_true(has(&paths, "tool/libnvrtc.so.13"));
    assert_true(has(&paths, "tool/include"));
    assert_int_equal(paths.count, 6);
    cbn_text_list_free(&paths);
    inputs_free(&inputs);
}

static void does_not_wait_for_the_toolkits_headers_in_busy_folders(void **state)
{
    (void)state;
    static char *probes[] = {"busy/cub/b.h", "cub/b.h", "inc/cub/b.h"};
    const struct opened_files only_toolkit = {opened + 1, 1, probes, COUNT(probes), false};
    char *output[] = {"busy/k.cubinet"};
    const struct cbn_text_list written = {.items = output, .count = COUNT(output)};
    struct inputs inputs;
    struct cbn_text_list paths;
    assert_int_equal(inputs_gather("k.cu", &only_toolkit, &toolkit, soon(), &inputs), CUBINET_OK);
    assert_int_equal(inputs_dependencies(&inputs, &toolkit, &written, &paths), CUBINET_OK);
    assert_false(has(&paths, "."));
    assert_false(has(&paths, "busy"));
    assert_true(has(&paths, "inc"));
    cbn_text_list_free(&paths);
    inputs_free(&inputs);
}

/* As a user who may not read everything. */
static void notes_what_could_not_be_read(void **state)
{
    (void)state;
    static char *tried[] = {"inc/a.h", "inc/none.h", "inc/a.h/none.h", "inc/loop.h"};
    const struct opened_files failed = {.missing = tried, .missing_count = COUNT(tried)};
    struct buffer messages = {0};
    assert_int_equal(symlink("loop.h", "inc/loop.h"), 0);
    assert_int_equal(chmod("inc/a.h", 0), 0);
    assert_int_equal(chmod(".", 0755), 0);
    uid_t user = geteuid();
    assert_true(user != 0 || seteuid(65534) == 0);
    inputs_note_unreadable(&failed, &messages);
    assert_true(user != 0 || seteuid(user) == 0);
    buffer_append(&messages, "", 1);
    assert_string_equal(messages.data,
                        "inc/a.h: note: cannot be opened: Permission denied\n"
                        "inc/loop.h: note: cannot be opened: Too many levels of symbolic links\n");
    buffer_free(&messages);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sees_that_nothing_changed),
        TEST(sees_each_change),
        TEST(takes_no_damaged_record),
        TEST(keeps_no_record_of_what_is_uncertain),
        TEST(depends_on_the_folders_of_missing_headers),
        TEST(notes_what_could_not_be_read),
        TEST(does_not_wait_for_the_toolkits_headers_in_busy_folders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
