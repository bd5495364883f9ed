/* SPDX-License-Identifier: Apache-2.0 */
/* Phases of threads, what they leave in the trace, and what another process sees of them. */
#include "unit.h"

#include "process/trace.h"
#include "process/trace_file.h"

#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/cubinet-test-XXXXXX";
static char path[sizeof(folder) + 16];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(path, sizeof(path), "%s/" TRACE_FILE_NAME, folder);
    return setenv("CUBINET_TRACE", folder, true);
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

/* The events of what was traced, after which the file is gone. */
static json_t *take_events(void)
{
    json_t *events = json_load_file(path, 0, NULL);
    assert_true(json_is_array(events));
    unlink(path);
    return events;
}

static int64_t number_of(const json_t *event, const char *key)
{
    const json_t *number = json_object_get(event, key);
    assert_true(json_is_integer(number));
    return json_integer_value(number);
}

static const char *text_of(const json_t *event, const char *key)
{
    const char *text = json_string_value(json_object_get(event, key));
    return text ? text : "";
}

static const json_t *find(const json_t *events, const char *name)
{
    size_t index;
    json_t *event;
    json_array_foreach(events, index, event)
    {
        if (strcmp(text_of(event, "name"), name) == 0) {
            return event;
        }
    }
    fail_msg("there is no event '%s'", name);
    return NULL;
}

static void test_process(void **state)
{
    (void)state;
    trace_start("compile");
    trace_subject("first", NULL);
    trace_subject("scan", "sm_80, sm_90");
    trace_begin("outer", NULL);
    trace_begin("inner", "caf\xe9"); /* no UTF-8 */
    trace_end();
    trace_end();
    trace_end(); /* one too many is nothing */
    trace_finish(3);
    json_t *events = take_events();
    const json_t *outer = find(events, "outer");
    const json_t *inner = find(events, "inner");
    assert_string_equal(text_of(json_object_get(json_array_get(events, 0), "args"), "name"),
                        "compile scan sm_80, sm_90");
    assert_int_equal(number_of(json_object_get(find(events, "compile"), "args"), "exit_status"), 3);
    assert_string_equal(text_of(json_object_get(inner, "args"), "detail"), "caf\xef\xbf\xbd");
    assert_true(number_of(outer, "ts") <= number_of(inner, "ts"));
    assert_true(number_of(inner, "ts") + number_of(inner, "dur") <=
                number_of(outer, "ts") + number_of(outer, "dur"));
    assert_int_equal(number_of(inner, "pid"), getpid());
    json_decref(events);
}

enum { THREADS = 8, ROUNDS = 50 };

static void *work(void *data)
{
    (void)data;
    for (int i = 0; i < ROUNDS; i++) {
        trace_begin("outer", NULL);
        trace_begin("inner", "detail");
        trace_end();
        trace_end();
    }
    return NULL;
}

/* Each thread's phases are its own. */
static void test_threads(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    trace_start("test");
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, work, NULL), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    trace_finish(0);
    json_t *events = take_events();
    assert_int_equal(json_array_size(events), 3 + 2 * THREADS * ROUNDS); /* name, process, start-up */
    for (size_t i = 4; i < json_array_size(events); i++) {
        const json_t *before = json_array_get(events, i - 1);
        const json_t *event = json_array_get(events, i);
        if (number_of(before, "tid") == number_of(event, "tid")) {
            assert_true(number_of(before, "ts") <= number_of(event, "ts"));
        }
    }
    json_decref(events);
}

/* Phases within more phases than are kept come out at the right end of it. */
static void test_deep(void **state)
{
    (void)state;
    enum { DEPTH = 100 };
    trace_start("test");
    for (int i = 0; i < DEPTH; i++) {
        trace_begin("phase", NULL);
    }
    for (int i = 0; i < DEPTH; i++) {
        trace_end();
    }
    trace_begin("last", NULL);
    trace_end();
    trace_finish(0);
    json_t *events = take_events();
    const json_t *last = find(events, "last");
    const json_t *first = find(events, "phase");
    assert_true(number_of(first, "ts") + number_of(first, "dur") <= number_of(last, "ts"));
    json_decref(events);
}

static void test_off(void **state)
{
    (void)state;
    unsetenv("CUBINET_TRACE");
    trace_start("test");
    assert_false(trace_is_on());
    trace_begin("phase", NULL);
    trace_end();
    trace_span("category", "name", NULL, 0, 1);
    trace_finish(0);
    assert_int_not_equal(access(path, F_OK), 0);
    setenv("CUBINET_TRACE", folder, true);
}

/* Viewers drop spans that overlap in part: what NVRTC tells is cut. */
static void test_overlaps(void **state)
{
    (void)state;
    trace_start("test");
    int64_t start = trace_now();
    trace_span("nvrtc", "before", NULL, start, start + 30);
    trace_span("header", "header", NULL, start + 20, start + 100);
    trace_span("nvrtc", "within", NULL, start + 40, start + 60);
    trace_span("nvrtc", "around the end", NULL, start + 90, start + 120);
    trace_span("nvrtc", "after", NULL, start + 100, start + 130);
    trace_finish(0);
    json_t *events = take_events();
    assert_int_equal(number_of(find(events, "before"), "dur"), 20);
    assert_int_equal(number_of(find(events, "header"), "dur"), 80);
    assert_int_equal(number_of(find(events, "within"), "dur"), 20);
    assert_int_equal(number_of(find(events, "around the end"), "dur"), 10);
    assert_int_equal(number_of(find(events, "after"), "dur"), 30);
    json_decref(events);
}

/* What another process sees: the phase, and after it the last one. */
static void test_shown(void **state)
{
    (void)state;
    static struct trace_shown shown;
    char *longest = malloc(2 * sizeof(shown.reading));
    assert_non_null(longest);
    memset(longest, 'x', 2 * sizeof(shown.reading));
    longest[2 * sizeof(shown.reading) - 1] = '\0';
    trace_show(&shown);
    assert_true(trace_is_on());
    trace_begin("outer", "one");
    trace_begin("inner", NULL);
    assert_string_equal(shown.phase, "inner");
    assert_string_equal(shown.detail, "");
    trace_end();
    assert_string_equal(shown.phase, "outer");
    assert_string_equal(shown.detail, "one");
    trace_reading(longest);
    assert_int_equal(strlen(shown.reading), sizeof(shown.reading) - 1);
    trace_reading(NULL);
    assert_string_equal(shown.reading, "");
    trace_end();
    assert_string_equal(shown.phase, "outer");
    trace_show(NULL);
    free(longest);
}

static void append(const char *events)
{
    assert_int_equal(trace_file_append(folder, events, strlen(events)), CUBINET_OK);
}

/* Processes write in turn, each whole. */
static void test_whole_file(void **state)
{
    (void)state;
    append("{\"a\":1},\n{\"b\":2}");
    append("{\"c\":3}");
    json_t *events = take_events();
    assert_int_equal(json_array_size(events), 3);
    json_decref(events);
}

/* Wherever a process that was killed stopped writing, what is added then makes whole JSON again, with all
 * that was there before it. */
static void test_cut_file(void **state)
{
    (void)state;
    static const char first[] = "{\"first\":1}";
    static const char second[] = "{\"second\":\"[]{},\"},\n{\"third\":3}";
    struct stat about;
    append(first);
    assert_int_equal(stat(path, &about), 0);
    off_t before = about.st_size - 3; /* without the bracket */
    append(second);
    assert_int_equal(stat(path, &about), 0);
    unlink(path);
    for (off_t size = 0; size <= about.st_size; size++) {
        append(first);
        append(second);
        assert_int_equal(truncate(path, size), 0);
        append("{\"last\":4}");
        json_t *events = take_events();
        if (size >= before + 2) {
            assert_non_null(json_object_get(json_array_get(events, 0), "first"));
        }
        assert_non_null(json_object_get(json_array_get(events, json_array_size(events) - 1), "last"));
        json_decref(events);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_process),    cmocka_unit_test(test_threads),  cmocka_unit_test(test_deep),
        cmocka_unit_test(test_off),        cmocka_unit_test(test_overlaps), cmocka_unit_test(test_shown),
        cmocka_unit_test(test_whole_file), cmocka_unit_test(test_cut_file),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
