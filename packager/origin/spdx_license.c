/* SPDX-License-Identifier: Apache-2.0 */
#include "origin/spdx_license.h"

#include "loader/core/support/error.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* An expression, read from left to right. Parentheses nest as deep as they are counted. */
struct reader {
    const char *at;
    size_t depth;
};

static bool is_name_byte(char byte)
{
    return isalnum((unsigned char)byte) || (byte != '\0' && strchr("-.+", byte));
}

static void skip_space(struct reader *reader)
{
    reader->at += strspn(reader->at, " ");
}

static size_t name_size(const struct reader *reader)
{
    size_t size = 0;
    while (is_name_byte(reader->at[size])) {
        size++;
    }
    return size;
}

static bool is_word(const char *text, size_t size, const char *word)
{
    return size == strlen(word) && memcmp(text, word, size) == 0;
}

static bool is_operator(const char *text, size_t size)
{
    return is_word(text, size, "AND") || is_word(text, size, "OR") || is_word(text, size, "WITH");
}

/* A licence's or exception's name. */
static bool take_name(struct reader *reader)
{
    size_t size = name_size(reader);
    if (size == 0 || is_operator(reader->at, size)) {
        return false;
    }
    reader->at += size;
    skip_space(reader);
    return true;
}

static bool take_word(struct reader *reader, const char *word)
{
    size_t size = name_size(reader);
    if (!is_word(reader->at, size, word)) {
        return false;
    }
    reader->at += size;
    skip_space(reader);
    return true;
}

static void open_parentheses(struct reader *reader)
{
    while (*reader->at == '(') {
        reader->at++;
        reader->depth++;
        skip_space(reader);
    }
}

static void close_parentheses(struct reader *reader)
{
    while (*reader->at == ')' && reader->depth > 0) {
        reader->at++;
        reader->depth--;
        skip_space(reader);
    }
}

static cubinet_status refuse(const char *expression, const struct reader *reader, const char *wanted)
{
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                     "'%s' is not an SPDX licence expression: %s is missing at offset %zu; write one such as "
                     "'Apache-2.0', 'MIT OR Zlib' or 'LicenseRef-ours'",
                     expression, wanted, (size_t)(reader->at - expression));
}

cubinet_status spdx_license_check(const char *expression)
{
    struct reader reader = {.at = expression};
    skip_space(&reader);
    do {
        open_parentheses(&reader);
        if (!take_name(&reader)) {
            return refuse(expression, &reader, "a licence's name");
        }
        if (take_word(&reader, "WITH") && !take_name(&reader)) {
            return refuse(expression, &reader, "an exception's name");
        }
        close_parentheses(&reader);
    } while (take_word(&reader, "AND") || take_word(&reader, "OR"));
    if (*reader.at != '\0') {
        return refuse(expression, &reader, "AND, OR or WITH");
    }
    return reader.depth == 0 ? CUBINET_OK : refuse(expression, &reader, "')'");
}
