/* SPDX-License-Identifier: Apache-2.0 */
/* What a program says is kept within a bound. */
#include "process/tool_log.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MEGABYTE = 1000 * 1000, KEPT = 16 * MEGABYTE };

/* Writes as a program would, which goes on when it can't. */
static void say(int fd, char what, size_t size)
{
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, what, size);
    for (size_t done = 0; done < size;) {
        ssize_t written = write(fd, text + done, size - done);
        if (written <= 0) {
            break;
        }
        done += (size_t)written;
    }
    free(text);
}

static char *heard(int fd)
{
    char *text = NULL;
    assert_int_equal(tool_log_read(fd, &text), CUBINET_OK);
    close(fd);
    return text;
}

static void test_short(void **state)
{
    (void)state;
    int fd = tool_log_open();
    say(fd, 'a', 3);
    say(fd, 'b', 1);
    char *text = heard(fd);
    assert_string_equal(text, "aaab");
    free(text);
}

static void test_nothing(void **state)
{
    (void)state;
    char *text = heard(tool_log_open());
    assert_string_equal(text, "");
    free(text);
}

static void test_long(void **state)
{
    (void)state;
    int fd = tool_log_open();
    say(fd, 'a', 10 * MEGABYTE);
    say(fd, 'b', 10 * MEGABYTE);
    char *text = heard(fd);
    assert_int_equal(text[0], 'a');
    assert_int_equal(text[strlen(text) - 1], 'b');
    assert_non_null(strstr(text, "a\n… 4000000 bytes of messages are left out here …\nb"));
    assert_in_range(strlen(text), KEPT, KEPT + 100);
    free(text);
}

static void test_endless(void **state)
{
    (void)state;
    int fd = tool_log_open();
    for (int i = 0; i < 100; i++) {
        say(fd, 'a', MEGABYTE);
    }
    char *text = heard(fd);
    assert_non_null(strstr(text, "48000000 bytes of messages are left out here, and all that came after"));
    assert_in_range(strlen(text), KEPT, KEPT + 100);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_endless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
