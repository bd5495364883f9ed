/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/select/requirement.h"

#include "loader/core/support/error.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A version within a text. */
struct version {
    const char *numbers;
    size_t size;        /* up to the suffix */
    const char *suffix; /* after '-' */
    size_t suffix_size; /* 0: none */
};

enum relation { AT_LEAST, AT_MOST, EQUAL, DIFFERENT, ABOVE, BELOW };

/* Longer ones first: ">" is the start of ">=". */
static const struct {
    const char *text;
    enum relation relation;
} relations[] = {{">=", AT_LEAST},  {"<=", AT_MOST}, {"==", EQUAL},
                 {"!=", DIFFERENT}, {">", ABOVE},    {"<", BELOW}};

static const char *skip_spaces(const char *text)
{
    return text + strspn(text, " \t");
}

/* Reads numbers with dots between them, and a suffix. NULL if there are none; else where they end. */
static const char *read_version(const char *text, struct version *out_version)
{
    const char *at = text;
    do {
        size_t digits = strspn(at, "0123456789");
        if (digits == 0) {
            return NULL;
        }
        at += digits;
    } while (*at == '.' && at++);
    *out_version = (struct version){.numbers = text, .size = (size_t)(at - text)};
    if (*at == '-') {
        out_version->suffix = at + 1;
        while (isalnum((unsigned char)*++at) || *at == '.' || *at == '-') {
        }
        out_version->suffix_size = (size_t)(at - out_version->suffix);
        return out_version->suffix_size > 0 ? at : NULL;
    }
    return at;
}

/* The digits of the next number without zeros before them, which may be none; steps over it and its dot. */
static size_t next_number(const char **at, const char *end, const char **out_digits)
{
    while (*at < end && **at == '0') {
        (*at)++;
    }
    *out_digits = *at;
    while (*at < end && **at != '.') {
        (*at)++;
    }
    size_t size = (size_t)(*at - *out_digits);
    *at += *at < end;
    return size;
}

static int compare_numbers(const struct version *a, const struct version *b)
{
    const char *in_a = a->numbers;
    const char *in_b = b->numbers;
    int order = 0;
    while (order == 0 && (in_a < a->numbers + a->size || in_b < b->numbers + b->size)) {
        const char *digits_a;
        const char *digits_b;
        size_t size_a = next_number(&in_a, a->numbers + a->size, &digits_a);
        size_t size_b = next_number(&in_b, b->numbers + b->size, &digits_b);
        order = size_a != size_b ? (size_a < size_b ? -1 : 1) : memcmp(digits_a, digits_b, size_a);
    }
    return order;
}

static int compare_suffixes(const struct version *a, const struct version *b)
{
    if (a->suffix_size == 0 || b->suffix_size == 0) {
        return (a->suffix_size == 0) - (b->suffix_size == 0);
    }
    size_t size = a->suffix_size < b->suffix_size ? a->suffix_size : b->suffix_size;
    int order = memcmp(a->suffix, b->suffix, size);
    return order ? order : (a->suffix_size > b->suffix_size) - (a->suffix_size < b->suffix_size);
}

static int compare(const struct version *a, const struct version *b)
{
    int order = compare_numbers(a, b);
    return order ? order : compare_suffixes(a, b);
}

static bool meets(const struct version *version, enum relation relation, const struct version *wanted)
{
    int order = compare(version, wanted);
    switch (relation) {
    case AT_LEAST:
        return order >= 0;
    case AT_MOST:
        return order <= 0;
    case EQUAL:
        return order == 0;
    case DIFFERENT:
        return order != 0;
    case ABOVE:
        return order > 0;
    case BELOW:
        return order < 0;
    }
    return false;
}

/* Reads one term; NULL if it is none, else where it ends. */
static const char *read_term(const char *text, enum relation *out_relation, struct version *out_version)
{
    text = skip_spaces(text);
    for (size_t i = 0; i < sizeof(relations) / sizeof(relations[0]); i++) {
        size_t size = strlen(relations[i].text);
        if (strncmp(text, relations[i].text, size) == 0) {
            *out_relation = relations[i].relation;
            const char *end = read_version(skip_spaces(text + size), out_version);
            return end ? skip_spaces(end) : NULL;
        }
    }
    return NULL;
}

static cubinet_status no_requirement(const char *requirement)
{
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                     "'%s' is not a requirement of a version; write one such as \">= 1.4, < 2\"",
                     requirement);
}

/* Reads a text that is a version and nothing else. */
static bool is_version(const char *text, struct version *out_version)
{
    const char *end = read_version(text, out_version);
    return end && *end == '\0';
}

int cbn_version_compare(const char *a, const char *b)
{
    struct version version_a;
    struct version version_b;
    bool is_a = is_version(a, &version_a);
    bool is_b = is_version(b, &version_b);
    return is_a && is_b ? compare(&version_a, &version_b) : is_a - is_b;
}

cubinet_status cbn_requirement_check(const char *requirement, const char *name, const char *version)
{
    struct version found;
    bool is_number = is_version(version, &found);
    bool is_met = is_number;
    const char *at = requirement;
    for (bool more = true; more; more = *at++ == ',') {
        enum relation relation;
        struct version wanted;
        at = read_term(at, &relation, &wanted);
        if (!at || (*at != ',' && *at != '\0')) {
            return no_requirement(requirement);
        }
        is_met = is_met && meets(&found, relation, &wanted);
    }
    if (is_met) {
        return CUBINET_OK;
    }
    if (version[0] == '\0') {
        return cbn_error(CUBINET_ERROR_OTHER_VERSION,
                         "%s has no version, and this program requires %s: give it one with `cubinet pack "
                         "--archive-version`",
                         name, requirement);
    }
    return cbn_error(CUBINET_ERROR_OTHER_VERSION, "%s has version %s%s, and this program requires %s", name,
                     version, is_number ? "" : ", which is not a number", requirement);
}
