/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/support/expression.h"

/* The C locale's, whatever the program's is. */
static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Bytes of words; those above ASCII are letters of identifiers. */
static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

/* An expression that is being read. */
struct reader {
    const char *next;
    char last; /* what was read before */
};

/* The next byte that counts: a space only where it separates two words; NUL at the end. */
static char next_byte(struct reader *reader)
{
    bool spaced = is_space(*reader->next);
    while (is_space(*reader->next)) {
        reader->next++;
    }
    char c = *reader->next;
    if (spaced && is_word(reader->last) && is_word(c)) {
        c = ' ';
    } else if (c) {
        reader->next++;
    }
    reader->last = c;
    return c;
}

const char *cbn_expression_start(const char *expression)
{
    while (is_space(*expression) || *expression == '&') {
        expression++;
    }
    return expression;
}

bool cbn_expression_equal(const char *a, const char *b)
{
    struct reader first = {.next = cbn_expression_start(a)};
    struct reader second = {.next = cbn_expression_start(b)};
    for (;;) {
        char c = next_byte(&first);
        if (c != next_byte(&second)) {
            return false;
        }
        if (c == '\0') {
            return true;
        }
    }
}
