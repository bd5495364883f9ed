/* SPDX-License-Identifier: Apache-2.0 */
#include "build/ninja_text.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*append_fn)(struct buffer *text, const char *bytes);

static void expect(append_fn append, const char *bytes, const char *expected)
{
    struct buffer text = {0};
    append(&text, bytes);
    char *written = buffer_take(&text);
    assert_string_equal(written, expected);
    free(written);
}

static void escapes_paths(void **state)
{
    (void)state;
    expect(ninja_path, "src/a.cu", "src/a.cu");
    expect(ninja_path, "a b/$c:d.cu", "a$ b/$$c$:d.cu");
    expect(ninja_path, "a|b", "a${pipe}b");
}

static void escapes_values(void **state)
{
    (void)state;
    expect(ninja_value, "a $b:c|d", "a $$b:c|d");
    expect(ninja_value, " a", "$ a");
    expect(ninja_value, "", "");
}

static void quotes_words(void **state)
{
    (void)state;
    expect(shell_word, "-DA=1", "-DA=1");
    expect(shell_word, "", "''");
    expect(shell_word, "a b", "'a b'");
    expect(shell_word, "it's", "'it'\\''s'");
    expect(shell_word, "segsum<float>", "'segsum<float>'");
}

static void refuses_line_breaks(void **state)
{
    (void)state;
    assert_int_equal(ninja_check("a path", "a b"), CUBINET_OK);
    assert_int_equal(ninja_check("a path", "a\nb"), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ninja_check("a path", "a\r"), CUBINET_ERROR_INVALID_ARGUMENT);
}

/* Every byte but NUL, alone and between letters, comes out of the shell as it went in. */
static void the_shell_reads_words_as_they_were(void **state)
{
    (void)state;
    for (int byte = 1; byte < 256; byte++) {
        char word[] = {'a', (char)byte, 'b', '\0'};
        struct buffer command = {0};
        buffer_puts(&command, "printf %s ");
        shell_word(&command, word);
        FILE *shell = popen(command.data, "r");
        assert_non_null(shell);
        char read[8] = "";
        assert_int_equal(fread(read, 1, sizeof(read), shell), 3);
        assert_int_equal(pclose(shell), 0);
        assert_memory_equal(read, word, 3);
        buffer_free(&command);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes_paths),
        cmocka_unit_test(escapes_values),
        cmocka_unit_test(quotes_words),
        cmocka_unit_test(refuses_line_breaks),
        cmocka_unit_test(the_shell_reads_words_as_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
