/* SPDX-License-Identifier: Apache-2.0 */
#include "source/kernel_names.h"

#include "loader/core/support/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Words that start declarations. */
static const char *const kernel_words[] = {"__global__", NULL};
static const char *const function_words[] = {"__device__", NULL};
static const char *const variable_words[] = {"__device__", "__constant__", "__managed__", NULL};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* After what closes the parenthesis or bracket at `at`. */
static const char *skip_pair(const char *at, char close)
{
    char open = *at;
    int depth = 0;
    for (; *at; at++) {
        depth += (*at == open) - (*at == close);
        if (depth == 0) {
            return at + 1;
        }
    }
    return at;
}

/* Skips the word that starts at `at`. */
static const char *skip_word(const char *at)
{
    while (is_word(*at)) {
        at++;
    }
    return at;
}

/* The name that a declaration declares, from `at` after its first word, which the caller frees: the word
 * before the parameters of a function, or before what follows the name of a variable. Words that start with
 * two underscores are attributes, some with parentheses of their own. NULL if it declares the other. */
static char *declared_name(const char *at, bool is_function)
{
    const char *word = NULL;
    size_t size = 0;
    while (*at && !strchr(is_function ? ";{" : ";{=[,", *at)) {
        if (is_word(*at)) {
            word = at;
            at = skip_word(at);
            size = (size_t)(at - word);
        } else if (*at == '<') {
            at = skip_pair(at, '>');
        } else if (*at != '(') {
            at++;
        } else if (word && strncmp(word, "__", 2) != 0) {
            return is_function ? strndup(word, size) : NULL;
        } else {
            at = skip_pair(at, ')');
        }
    }
    return !is_function && *at && word && strncmp(word, "__", 2) != 0 ? strndup(word, size) : NULL;
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

/* After the next of the words in the text, or NULL. */
static const char *after_next(const char *text, const char *const *words)
{
    const char *first = NULL;
    size_t size = 0;
    for (; *words; words++) {
        const char *found = strstr(text, *words);
        if (found && (!first || found < first)) {
            first = found;
            size = strlen(*words);
        }
    }
    return first ? first + size : NULL;
}

static char *nearest_name(const char *source, const char *expression, const char *const *words,
                          bool are_functions)
{
    size_t size;
    const char *wanted = plain_name(expression, &size);
    char *best = NULL;
    struct cbn_nearest nearest;
    cbn_nearest_start(&nearest, wanted, size);
    for (const char *at = source; (at = after_next(at, words));) {
        char *name = declared_name(at, are_functions);
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

char *kernel_names_nearest(const char *source, const char *expression)
{
    return nearest_name(source, expression, kernel_words, true);
}

char *function_names_nearest(const char *source, const char *expression)
{
    return nearest_name(source, expression, function_words, true);
}

char *variable_names_nearest(const char *source, const char *expression)
{
    return nearest_name(source, expression, variable_words, false);
}

bool kernel_names_match(const char *expression, const char *name)
{
    size_t size;
    const char *plain = plain_name(expression, &size);
    return strlen(name) == size && strncmp(plain, name, size) == 0;
}
