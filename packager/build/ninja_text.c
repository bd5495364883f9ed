/* SPDX-License-Identifier: Apache-2.0 */
#include "build/ninja_text.h"

#include "loader/core/support/error.h"

#include <string.h>

cubinet_status ninja_check(const char *what, const char *text)
{
    if (strpbrk(text, "\n\r")) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "%s has a line break in it, which no Ninja file can hold", what);
    }
    return CUBINET_OK;
}

void ninja_path(struct buffer *file, const char *path)
{
    for (; *path; path++) {
        if (*path == '|') {
            buffer_puts(file, "${pipe}");
        } else {
            buffer_printf(file, "%s%c", strchr("$ :", *path) ? "$" : "", *path);
        }
    }
}

void ninja_value(struct buffer *file, const char *text)
{
    if (*text == ' ') {
        buffer_puts(file, "$"); /* Ninja skips the space before a value */
    }
    for (; *text; text++) {
        buffer_printf(file, "%s%c", *text == '$' ? "$" : "", *text);
    }
}

/* Whether the shell reads a word as it is. '=' has a meaning in a command's name alone. */
static bool is_plain(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:+@%=";
    return word[0] != '\0' && word[strspn(word, plain)] == '\0';
}

void shell_word(struct buffer *line, const char *word)
{
    if (is_plain(word)) {
        buffer_puts(line, word);
        return;
    }
    buffer_puts(line, "'");
    for (; *word; word++) {
        if (*word == '\'') {
            buffer_puts(line, "'\\''");
        } else {
            buffer_append(line, word, 1);
        }
    }
    buffer_puts(line, "'");
}

void ninja_words(struct buffer *file, const struct cbn_text_list *words)
{
    struct buffer line = {0};
    for (size_t i = 0; i < words->count; i++) {
        buffer_puts(&line, i ? " " : "");
        shell_word(&line, words->items[i]);
    }
    ninja_value(file, line.data ? line.data : "");
    file->failed |= line.failed;
    buffer_free(&line);
}
