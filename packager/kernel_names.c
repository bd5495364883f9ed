/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_names.h"

#include "nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char keyword[] = "__global__";

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* After the parenthesis that closes the one at `at`. */
static const char *skip_parentheses(const char *at)
{
    int depth = 0;
    for (; *at; at++) {
        depth += (*at == '(') - (*at == ')');
        if (depth == 0) {
            return at + 1;
        }
    }
    return at;
}

/* The name of the function that a declaration after __global__ declares, which the caller frees: the word
 * before its parameters. Words that start with two underscores are attributes, some with parentheses of their
 * own. */
static char *declared_name(const char *at)
{
    const char *word = NULL;
    size_t size = 0;
    while (*at && *at != ';' && *at != '{') {
        if (is_word(*at)) {
            word = at;
            while (is_word(*at)) {
                at++;
            }
            size = (size_t)(at - word);
        } else if (*at != '(') {
            at++;
        } else if (word && strncmp(word, "__", 2) != 0) {
            return strndup(word, size);
        } else {
            at = skip_parentheses(at);
        }
    }
    return NULL;
}

/* The last part of a qualified name: "scan" of "&my::scan<float>". */
static const char *plain_name(const char *expression, size_t *out_size)
{
    size_t size = strcspn(expression, "<");
    const char *name = expression + size;
    while (name > expression && is_word(name[-1])) {
        name--;
    }
    *out_size = (size_t)(expression + size - name);
    return name;
}

char *kernel_names_nearest(const char *source, const char *expression)
{
    size_t size;
    const char *wanted = plain_name(expression, &size);
    char *best = NULL;
    struct cbn_nearest nearest;
    cbn_nearest_start(&nearest, wanted, size);
    for (const char *at = source; (at = strstr(at, keyword));) {
        at += sizeof(keyword) - 1;
        char *name = declared_name(at);
        if (!name) {
            continue;
        }
        cbn_nearest_offer(&nearest, name);
        if (nearest.name == name) {
            free(best);
            best = name;
        } else {
            free(name);
        }
    }
    if (!cbn_nearest_found(&nearest)) {
        free(best);
        best = NULL;
    }
    return best;
}
