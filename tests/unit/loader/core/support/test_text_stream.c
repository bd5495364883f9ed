/* SPDX-License-Identifier: Apache-2.0 */
/* Text that is printed into memory. */
#include "allocations.h"
#include "loader/core/support/text_stream.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

static void holds_what_was_printed(void **state)
{
    (void)state;
    struct cbn_text_stream stream;
    FILE *file = cbn_text_stream_open(&stream);
    assert_non_null(file);
    fprintf(file, "%s %d", "part", 7);
    fputc('.', file);
    char *text = cbn_text_stream_close(&stream);
    assert_string_equal(text, "part 7.");
    assert_int_equal(stream.size, strlen("part 7."));
    free(text);
}

static void nothing_is_empty_text(void **state)
{
    (void)state;
    struct cbn_text_stream stream;
    assert_non_null(cbn_text_stream_open(&stream));
    char *text = cbn_text_stream_close(&stream);
    assert_string_equal(text, "");
    assert_int_equal(stream.size, 0);
    free(text);
}

enum { LINES = 3000 };

static char *print_lines(void)
{
    struct cbn_text_stream stream;
    FILE *file = cbn_text_stream_open(&stream);
    if (!file) {
        return NULL;
    }
    for (int i = 0; i < LINES; i++) {
        fprintf(file, "line %04d\n", i);
    }
    return cbn_text_stream_close(&stream);
}

/* Also where memory is out for a part in the middle, and there is some for what follows. */
static void is_whole_or_nothing(void **state)
{
    (void)state;
    unsigned int failures = 0;
    char *text = NULL;
    while (!text) {
        allocations_watch(failures + 1);
        text = print_lines();
        failures += allocations_stop() > failures;
    }
    assert_true(failures > 3);
    assert_int_equal(strlen(text), LINES * strlen("line 0000\n"));
    assert_non_null(strstr(text, "line 1500\nline 1501\n"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_what_was_printed),
        cmocka_unit_test(nothing_is_empty_text),
        cmocka_unit_test(is_whole_or_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
