/* SPDX-License-Identifier: Apache-2.0 */
#include "source/lambda_annotations.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const char *const annotations[] = {"__device__", "__host__"};

/* The end of a raw string literal, R"x(…)x", whose quote is at `quote`. */
static char *skip_raw_string(char *quote)
{
    size_t size = strcspn(quote + 1, "(\"\n");
    if (quote[1 + size] != '(') {
        return quote + 1;
    }
    for (char *at = strchr(quote, ')'); at; at = strchr(at + 1, ')')) {
        if (strncmp(at + 1, quote + 1, size) == 0 && at[1 + size] == '"') {
            return at + 2 + size;
        }
    }
    return quote + strlen(quote);
}

/* The end of the literal whose quote is at `quote`: its other quote, or the end of the line. */
static char *skip_literal(char *quote)
{
    char *at = quote + 1;
    while (*at && *at != '\n' && *at != *quote) {
        at += at[0] == '\\' && at[1] ? 2 : 1;
    }
    return at + (*at == *quote);
}

/* The end of the comment or literal that starts at `at`, or `at` if none does. `before` is the character
 * before it: in 1'000 the quote starts nothing. */
static char *skip_other(char *at, char before)
{
    if (at[0] == '/' && at[1] == '/') {
        return at + strcspn(at, "\n");
    }
    if (at[0] == '/' && at[1] == '*') {
        char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (at[0] == '"') {
        return before == 'R' ? skip_raw_string(at) : skip_literal(at);
    }
    if (at[0] == '\'' && !isalnum((unsigned char)before)) {
        return skip_literal(at);
    }
    return at;
}

static char *skip_blank(char *at)
{
    for (;;) {
        char *end = at + strspn(at, " \t\r\n\\");
        end = *end == '/' ? skip_other(end, ' ') : end;
        if (end == at) {
            return at;
        }
        at = end;
    }
}

/* The size of the annotation at `at`; 0 if there is none. */
static size_t annotation_size(const char *at)
{
    for (size_t i = 0; i < sizeof(annotations) / sizeof(annotations[0]); i++) {
        size_t size = strlen(annotations[i]);
        if (strncmp(at, annotations[i], size) == 0 && !isalnum((unsigned char)at[size]) && at[size] != '_') {
            return size;
        }
    }
    return 0;
}

/* Blanks the annotations after the bracket at `bracket` if they are a lambda's: parameters or a body follow.
 * After an attribute, which also ends with a bracket, a declaration follows. */
static void blank_after(char *bracket)
{
    char *first = skip_blank(bracket + 1);
    char *end = first;
    for (size_t size; (size = annotation_size(end));) {
        end = skip_blank(end + size);
    }
    if (end == first || (*end != '(' && *end != '{')) {
        return;
    }
    for (char *at = first; at < end;) {
        size_t size = annotation_size(at);
        memset(at, ' ', size);
        at = skip_blank(at + size);
    }
}

void lambda_annotations_blank(char *source)
{
    char before = ' ';
    for (char *at = source; *at;) {
        char *end = skip_other(at, before);
        if (end != at) {
            before = end[-1];
            at = end;
            continue;
        }
        if (*at == ']') {
            blank_after(at);
        }
        before = *at++;
    }
}
