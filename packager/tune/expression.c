/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/expression.h"

#include "base/buffer.h"
#include "loader/core/support/error.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { MOST_DEPTH = 64 };

/* A text that is read and evaluated in one go. */
struct parser {
    const char *text;
    const char *at;
    const struct expression_values *values;
    int skipped; /* above 0: what is read does not count, so it can't overflow either */
    int depth;
    cubinet_status status;
};

static void skip_space(struct parser *parser)
{
    while (*parser->at == ' ' || *parser->at == '\t') {
        parser->at++;
    }
}

/* The first failure stays, and nothing is read after it. */
static int64_t fail(struct parser *parser, const char *what)
{
    if (!parser->status) {
        parser->status =
            *parser->at ? cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "the expression \"%s\": at \"%.24s\": %s",
                                    parser->text, parser->at, what)
                        : cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "the expression \"%s\": at its end: %s",
                                    parser->text, what);
    }
    parser->at += strlen(parser->at);
    return 0;
}

static bool take(struct parser *parser, const char *word)
{
    skip_space(parser);
    size_t length = strlen(word);
    if (strncmp(parser->at, word, length) != 0) {
        return false;
    }
    parser->at += length;
    return true;
}

/* An operator that is not the start of a longer one. */
static bool take_short(struct parser *parser, char word, const char *unless)
{
    skip_space(parser);
    if (*parser->at != word || (parser->at[1] && strchr(unless, parser->at[1]))) {
        return false;
    }
    parser->at++;
    return true;
}

static int64_t choice(struct parser *parser);

static int64_t number(struct parser *parser)
{
    int64_t value = 0;
    while (isdigit((unsigned char)*parser->at)) {
        if (__builtin_mul_overflow(value, (int64_t)10, &value) ||
            __builtin_add_overflow(value, (int64_t)(*parser->at - '0'), &value)) {
            return fail(parser, "the number has more than 63 bits");
        }
        parser->at++;
    }
    return value;
}

static int64_t divide(struct parser *parser, int64_t a, int64_t b, char how)
{
    if (parser->skipped) {
        return 0;
    }
    if (b == 0 || (b == -1 && a == INT64_MIN)) {
        return fail(parser, b ? "the result has more than 63 bits" : "it divides by 0");
    }
    if (how == 'c') {
        return a / b + (a % b != 0 && (a > 0) == (b > 0));
    }
    return how == '/' ? a / b : a % b;
}

static int64_t apply(struct parser *parser, const char *name, size_t length, int64_t a, int64_t b)
{
    if (length == 3 && strncmp(name, "min", length) == 0) {
        return a < b ? a : b;
    }
    if (length == 3 && strncmp(name, "max", length) == 0) {
        return a > b ? a : b;
    }
    if (length == 8 && strncmp(name, "ceil_div", length) == 0) {
        return divide(parser, a, b, 'c');
    }
    return fail(parser, "the functions are min, max and ceil_div");
}

static int64_t call(struct parser *parser, const char *name, size_t length)
{
    int64_t a = choice(parser);
    if (!take(parser, ",")) {
        return fail(parser, "a comma is needed, and a second value");
    }
    int64_t b = choice(parser);
    return take(parser, ")") ? apply(parser, name, length, a, b) : fail(parser, "a ) is needed");
}

static int64_t unknown_name(struct parser *parser, const char *name)
{
    struct buffer names = {0};
    buffer_puts(&names, "no such name; there are");
    for (size_t i = 0; i < parser->values->count; i++) {
        buffer_printf(&names, "%s %s", i ? "," : "", parser->values->items[i].name);
    }
    parser->at = name;
    fail(parser, names.data ? names.data : "no such name");
    buffer_free(&names);
    return 0;
}

static int64_t name(struct parser *parser)
{
    const char *start = parser->at;
    while (isalnum((unsigned char)*parser->at) || *parser->at == '_' || *parser->at == '.') {
        parser->at++;
    }
    size_t length = (size_t)(parser->at - start);
    if (take(parser, "(")) {
        return call(parser, start, length);
    }
    for (size_t i = 0; i < parser->values->count; i++) {
        const struct expression_value *known = &parser->values->items[i];
        if (strlen(known->name) == length && strncmp(known->name, start, length) == 0) {
            return known->value;
        }
    }
    return unknown_name(parser, start);
}

static int64_t primary(struct parser *parser)
{
    skip_space(parser);
    if (++parser->depth > MOST_DEPTH) {
        return fail(parser, "it is nested too deeply");
    }
    int64_t value = 0;
    if (isdigit((unsigned char)*parser->at)) {
        value = number(parser);
    } else if (isalpha((unsigned char)*parser->at) || *parser->at == '_') {
        value = name(parser);
    } else if (take(parser, "(")) {
        value = choice(parser);
        value = take(parser, ")") ? value : fail(parser, "a ) is needed");
    } else if (take_short(parser, '!', "=")) {
        value = !primary(parser);
    } else if (take(parser, "-")) {
        value = primary(parser);
        if (__builtin_sub_overflow((int64_t)0, value, &value) && !parser->skipped) {
            value = fail(parser, "the result has more than 63 bits");
        }
    } else {
        value = fail(parser, "a number, a name or a ( is needed");
    }
    parser->depth--;
    return value;
}

static int64_t product(struct parser *parser)
{
    int64_t value = primary(parser);
    while (true) {
        if (take(parser, "*")) {
            int64_t factor = primary(parser);
            if (__builtin_mul_overflow(value, factor, &value) && !parser->skipped) {
                return fail(parser, "the result has more than 63 bits");
            }
        } else if (take(parser, "/")) {
            value = divide(parser, value, primary(parser), '/');
        } else if (take(parser, "%")) {
            value = divide(parser, value, primary(parser), '%');
        } else {
            return value;
        }
    }
}

static int64_t sum(struct parser *parser)
{
    int64_t value = product(parser);
    while (true) {
        bool overflows;
        if (take(parser, "+")) {
            overflows = __builtin_add_overflow(value, product(parser), &value);
        } else if (take(parser, "-")) {
            overflows = __builtin_sub_overflow(value, product(parser), &value);
        } else {
            return value;
        }
        if (overflows && !parser->skipped) {
            return fail(parser, "the result has more than 63 bits");
        }
    }
}

static int64_t comparison(struct parser *parser)
{
    int64_t value = sum(parser);
    if (take(parser, "<=")) {
        return value <= sum(parser);
    }
    if (take(parser, ">=")) {
        return value >= sum(parser);
    }
    if (take(parser, "==")) {
        return value == sum(parser);
    }
    if (take(parser, "!=")) {
        return value != sum(parser);
    }
    if (take(parser, "<")) {
        return value < sum(parser);
    }
    return take(parser, ">") ? value > sum(parser) : value;
}

/* A side that does not count is read, but not evaluated. */
static int64_t side(struct parser *parser, bool counts, int64_t (*read)(struct parser *))
{
    parser->skipped += !counts;
    int64_t value = read(parser);
    parser->skipped -= !counts;
    return value;
}

static int64_t both(struct parser *parser)
{
    int64_t value = comparison(parser);
    while (take(parser, "&&")) {
        int64_t right = side(parser, value != 0, comparison);
        value = value && right;
    }
    return value;
}

static int64_t either(struct parser *parser)
{
    int64_t value = both(parser);
    while (take(parser, "||")) {
        int64_t right = side(parser, value == 0, both);
        value = value || right;
    }
    return value;
}

static int64_t choice(struct parser *parser)
{
    int64_t value = either(parser);
    if (!take(parser, "?")) {
        return value;
    }
    if (++parser->depth > MOST_DEPTH) {
        return fail(parser, "it is nested too deeply");
    }
    int64_t yes = side(parser, value != 0, choice);
    if (!take(parser, ":")) {
        return fail(parser, "a : is needed");
    }
    int64_t no = side(parser, value == 0, choice);
    parser->depth--;
    return value ? yes : no;
}

static cubinet_status run(struct parser *parser, int64_t *out_value)
{
    int64_t value = choice(parser);
    skip_space(parser);
    if (!parser->status && *parser->at) {
        fail(parser, "an operator is needed");
    }
    if (!parser->status) {
        *out_value = value;
    }
    return parser->status;
}

cubinet_status expression_check(const char *text, const struct expression_values *values)
{
    struct parser parser = {.text = text, .at = text, .values = values, .skipped = 1};
    int64_t ignored = 0;
    return run(&parser, &ignored);
}

cubinet_status expression_evaluate(const char *text, const struct expression_values *values,
                                   int64_t *out_value)
{
    struct parser parser = {.text = text, .at = text, .values = values};
    return run(&parser, out_value);
}
