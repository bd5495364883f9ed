/* SPDX-License-Identifier: Apache-2.0 */
#include "build/progress.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

static void add(struct progress *progress, const char *text, double seconds)
{
    assert_int_equal(progress_add(progress, text, seconds), CUBINET_OK);
}

static void expect_left(const struct progress *progress, double elapsed, double expected)
{
    assert_float_equal(progress_left(progress, elapsed), expected, 1e-3);
}

static void expect_line(const struct progress *progress, double elapsed, size_t columns, const char *expected)
{
    char *line = progress_line(progress, elapsed, columns);
    assert_string_equal(line, expected);
    free(line);
}

static void reads_status_lines(void **state)
{
    (void)state;
    struct progress progress = {0};
    const char *text = NULL;
    add(&progress, "Packing a", -1);
    assert_false(progress_take(&progress, "[1/2] Packing a", &text));
    assert_false(progress_take(&progress,
                               "\x1d"
                               "1/2 Packing a",
                               &text));
    assert_false(progress_take(&progress, "", &text));
    assert_null(text);
    assert_true(progress_take(&progress,
                              "\x1d"
                              "1/2\x1dPacking a",
                              &text));
    assert_string_equal(text, "Packing a");
    assert_int_equal(progress.finished, 1);
    assert_int_equal(progress.total, 2);
    assert_true(progress.steps[0].is_done);
    assert_true(progress_take(&progress,
                              "\x1d"
                              "2/2\x1d",
                              &text));
    assert_string_equal(text, "");
    progress_free(&progress);
}

/* Steps that never ran: what is done took the time so far. */
static void extrapolates(void **state)
{
    (void)state;
    struct progress progress = {.total = 4, .lanes = 2};
    assert_true(progress_left(&progress, 10) < 0);
    progress.finished = 1;
    expect_left(&progress, 10, 30);
    progress.finished = 4;
    expect_left(&progress, 10, 0);
    progress.total = 3; /* Ninja finds that some need not run */
    expect_left(&progress, 10, 0);
}

static void uses_history(void **state)
{
    (void)state;
    struct progress progress = {.total = 4, .lanes = 2};
    const char *text = NULL;
    add(&progress, "a", 10);
    add(&progress, "b", 6);
    add(&progress, "c", -1); /* as long as the others on average: 6 */
    add(&progress, "d", 2);
    expect_left(&progress, 0, 12);
    expect_left(&progress, 5, 7);
    expect_left(&progress, 100, 4); /* late: c and d have not started */
    assert_true(progress_take(&progress,
                              "\x1d"
                              "1/4\x1d"
                              "b",
                              &text));
    expect_left(&progress, 1, 10); /* early: a runs still, as long as it ever did */
    assert_true(progress_take(&progress,
                              "\x1d"
                              "2/4\x1d"
                              "a",
                              &text));
    expect_left(&progress, 1, 6);
    assert_true(progress_take(&progress,
                              "\x1d"
                              "3/4\x1d"
                              "c",
                              &text));
    assert_true(progress_take(&progress,
                              "\x1d"
                              "4/4\x1d"
                              "d",
                              &text));
    expect_left(&progress, 13, 0);
    progress_free(&progress);
}

static void writes_lines(void **state)
{
    (void)state;
    struct progress progress = {.total = 12, .finished = 3, .lanes = 1};
    expect_line(&progress, 0, 80, "[3/12] 0:00");
    add(&progress, "Compiling scale for sm_80", 100);
    expect_line(&progress, 75, 80, "[3/12] 1:15, 0:25 left: Compiling scale for sm_80");
    expect_line(&progress, 3725, 80, "[3/12] 1:02:05: Compiling scale for sm_80");
    expect_line(&progress, 75, 20, "[3/12] 1:15, 0:25 l");
    expect_line(&progress, 75, 0, "[3/12] 1:15, 0:25 left: Compiling scale for sm_80");
    progress_free(&progress);
    add(&progress, "\xc3\xbc\xc3\xbc", -1); /* cut between characters */
    expect_line(&progress, 0, 8, "0:00: \xc3\xbc");
    progress_free(&progress);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_status_lines),
        cmocka_unit_test(extrapolates),
        cmocka_unit_test(uses_history),
        cmocka_unit_test(writes_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
