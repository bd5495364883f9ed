/* SPDX-License-Identifier: Apache-2.0 */
#include "cxx/cxx_reader.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 200 }; /* of parentheses and operators */

struct condition {
    const struct cxx_token *at;
    const struct cxx_token *end;
    unsigned depth;
};

static int64_t read_choice(struct condition *condition);

static bool takes(struct condition *condition, int sign)
{
    bool is = condition->at < condition->end && cxx_is(condition->at, sign);
    condition->at += is;
    return is;
}

/* A sign that stands directly after the one before it. */
static bool takes_glued(struct condition *condition, int sign)
{
    return condition->at < condition->end && cxx_is_glued(condition->at) && takes(condition, sign);
}

static int64_t number_of(const struct cxx_token *token)
{
    char text[64];
    size_t size = 0;
    for (uint32_t i = 0; i < token->size && size < sizeof(text) - 1; i++) {
        if (token->text[i] != '\'') {
            text[size++] = token->text[i];
        }
    }
    text[size] = '\0';
    bool is_binary = text[0] == '0' && (text[1] == 'b' || text[1] == 'B');
    return (int64_t)(is_binary ? strtoull(text + 2, NULL, 2) : strtoull(text, NULL, 0));
}

static int64_t character_of(const struct cxx_token *token)
{
    const char *quote = memchr(token->text, '\'', token->size);
    const char *end = token->text + token->size;
    return quote && quote + 1 < end
               ? (unsigned char)(quote[1] == '\\' && quote + 2 < end ? quote[2] : quote[1])
               : 0;
}

/* After an unknown word: `NAME(…)` is 0, too. */
static void skip_parentheses(struct condition *condition)
{
    unsigned depth = 0;
    while (condition->at < condition->end && (depth > 0 || cxx_is(condition->at, '('))) {
        depth += cxx_is(condition->at, '(');
        depth -= cxx_is(condition->at, ')');
        condition->at++;
    }
}

static int64_t read_one(struct condition *condition)
{
    if (condition->at >= condition->end || condition->depth > MAX_DEPTH) {
        condition->at = condition->end;
        return 0;
    }
    const struct cxx_token *token = condition->at++;
    int64_t value = 0;
    condition->depth++;
    if (cxx_is(token, '(')) {
        value = read_choice(condition);
        takes(condition, ')');
    } else if (cxx_is(token, '!')) {
        value = !read_one(condition);
    } else if (cxx_is(token, '-')) {
        value = (int64_t) - (uint64_t)read_one(condition);
    } else if (cxx_is(token, '+')) {
        value = read_one(condition);
    } else if (cxx_is(token, '~')) {
        value = ~read_one(condition);
    } else if (token->kind == CXX_NUMBER) {
        value = number_of(token);
    } else if (token->kind == CXX_TEXT) {
        value = character_of(token);
    } else if (token->kind == CXX_WORD) {
        value = cxx_is_word(token, "true");
        skip_parentheses(condition);
    }
    condition->depth--;
    return value;
}

enum operator{
    OR,
    AND,
    BIT_OR,
    BIT_XOR,
    BIT_AND,
    EQUAL,
    UNEQUAL,
    LESS,
    LESS_EQUAL,
    MORE,
    MORE_EQUAL,
    LEFT,
    RIGHT,
    PLUS,
    MINUS,
    TIMES,
    OVER,
    MODULO,
    NONE,
};

/* How tightly operators bind. */
static const int levels[] = {
    [OR] = 1,    [AND] = 2,        [BIT_OR] = 3, [BIT_XOR] = 4,    [BIT_AND] = 5, [EQUAL] = 6, [UNEQUAL] = 6,
    [LESS] = 7,  [LESS_EQUAL] = 7, [MORE] = 7,   [MORE_EQUAL] = 7, [LEFT] = 8,    [RIGHT] = 8, [PLUS] = 9,
    [MINUS] = 9, [TIMES] = 10,     [OVER] = 10,  [MODULO] = 10,    [NONE] = 0,
};

static enum operator take_operator(struct condition *condition)
{
    static const struct {
        int sign;
        enum operator operator;
    } plain[] = {{CXX_OR, OR},       {CXX_AND, AND},         {'|', BIT_OR}, {'^', BIT_XOR}, {'&', BIT_AND},
                 {CXX_EQUAL, EQUAL}, {CXX_UNEQUAL, UNEQUAL}, {'+', PLUS},   {'-', MINUS},   {'*', TIMES},
                 {'/', OVER},        {'%', MODULO}};
    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        if (takes(condition, plain[i].sign)) {
            return plain[i].operator;
        }
    }
    if (takes(condition, '<')) {
        return takes_glued(condition, '=') ? LESS_EQUAL : takes_glued(condition, '<') ? LEFT : LESS;
    }
    if (takes(condition, '>')) {
        return takes_glued(condition, '=') ? MORE_EQUAL : takes_glued(condition, '>') ? RIGHT : MORE;
    }
    return NONE;
}

static int64_t divide(int64_t left, int64_t right, bool is_modulo)
{
    if (right == 0 || (left == INT64_MIN && right == -1)) {
        return 0;
    }
    return is_modulo ? left % right : left / right;
}

static int64_t apply(enum operator operator, int64_t left, int64_t right)
{
    uint64_t bits = (uint64_t)left;
    switch (operator) {
    case OR:
        return left || right;
    case AND:
        return left && right;
    case BIT_OR:
        return left | right;
    case BIT_XOR:
        return left ^ right;
    case BIT_AND:
        return left & right;
    case EQUAL:
        return left == right;
    case UNEQUAL:
        return left != right;
    case LESS:
        return left < right;
    case LESS_EQUAL:
        return left <= right;
    case MORE:
        return left > right;
    case MORE_EQUAL:
        return left >= right;
    case LEFT:
        return right >= 0 && right < 64 ? (int64_t)(bits << right) : 0;
    case RIGHT:
        return right >= 0 && right < 64 ? left >> right : 0;
    case PLUS:
        return (int64_t)(bits + (uint64_t)right);
    case MINUS:
        return (int64_t)(bits - (uint64_t)right);
    case TIMES:
        return (int64_t)(bits * (uint64_t)right);
    case OVER:
        return divide(left, right, false);
    case MODULO:
        return divide(left, right, true);
    case NONE:
        break;
    }
    return left;
}

/* Operators that bind at least as tightly as `level`. */
static int64_t read_operators(struct condition *condition, int level)
{
    int64_t left = read_one(condition);
    condition->depth++;
    for (;;) {
        const struct cxx_token *before = condition->at;
        enum operator operator= take_operator(condition);
        if (levels[operator] < level || condition->depth > MAX_DEPTH) {
            condition->at = before;
            condition->depth--;
            return left;
        }
        left = apply(operator, left, read_operators(condition, levels[operator] + 1));
    }
}

static int64_t read_choice(struct condition *condition)
{
    int64_t value = read_operators(condition, 1);
    if (takes(condition, '?')) {
        int64_t yes = read_choice(condition);
        takes(condition, ':');
        int64_t no = read_choice(condition);
        value = value ? yes : no;
    }
    return value;
}

/* `defined NAME`, `defined(NAME)` and `__has_include(…)` become 1 or 0 before macros are expanded. What
 * follows, or NULL if this is none of them. */
static const struct cxx_token *settle(struct cxx_reader *reader, const struct cxx_token *at,
                                      const struct cxx_token *end, bool *out_value)
{
    static const char *const includes[] = {"__has_include", "__has_include_next", NULL};
    bool is_include = cxx_is_any_word(at, includes);
    if (!is_include && !cxx_is_word(at, "defined")) {
        return NULL;
    }
    const struct cxx_token *first = ++at;
    bool is_paired = at < end && cxx_is(at, '(');
    if (!is_include) {
        at += is_paired;
        *out_value = at < end && cxx_macros_find(&reader->macros, at);
        at += at < end;
        return at + (is_paired && at < end && cxx_is(at, ')'));
    }
    while (at < end && !cxx_is(at, ')')) {
        at++;
    }
    *out_value = is_paired && cxx_has_include(reader, first + 1, at);
    return at < end ? at + 1 : end;
}

bool cxx_condition(struct cxx_reader *reader, const struct cxx_token *at, const struct cxx_token *end)
{
    struct cxx_tokens settled = {0};
    struct cxx_tokens expanded = {0};
    while (at < end && !reader->status) {
        bool value = false;
        struct cxx_token token = *at;
        const struct cxx_token *after = settle(reader, at, end, &value);
        if (after) {
            token = (struct cxx_token){
                .kind = CXX_NUMBER, .text = value ? "1" : "0", .size = 1, .flags = CXX_AFTER_SPACE};
        }
        at = after ? after : at + 1;
        cxx_failed(reader, cxx_tokens_add(&settled, &token));
    }
    cxx_expand_list(reader, settled.items, settled.count, &expanded);
    bool value = false;
    if (!reader->status && expanded.count > 0) {
        struct condition condition = {expanded.items, expanded.items + expanded.count, 0};
        value = read_choice(&condition) != 0;
    }
    cxx_tokens_free(&settled);
    cxx_tokens_free(&expanded);
    return value;
}
