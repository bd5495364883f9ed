/* SPDX-License-Identifier: Apache-2.0 */
#include "source/constructed_objects.h"

#include "source/name_set.h"

#include <string.h>

struct finder {
    const struct cxx_token *tokens;
    struct name_set functions; /* names of free functions */
    struct name_set classes;   /* names of classes: an argument of that name is a type */
};

static cubinet_status collect(struct finder *finder, const struct declarations *declarations)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; i < declarations->count && !status; i++) {
        const struct declaration *declaration = &declarations->items[i];
        bool is_function =
            declaration->kind == DECLARATION_FUNCTION && !(declaration->flags & DECLARED_MEMBER);
        if (declaration->name == SIZE_MAX || (!is_function && declaration->kind != DECLARATION_CLASS)) {
            continue;
        }
        const struct cxx_token *name = &finder->tokens[declaration->name];
        if (!is_function || !declaration_is_qualified(finder->tokens, declaration)) {
            status = name_set_add(is_function ? &finder->functions : &finder->classes, name);
        }
    }
    return status;
}

/* Whether it starts as only a value does. */
static bool starts_value(const struct cxx_token *token)
{
    static const char *const words[] = {"nullptr", "true", "false", "new", "sizeof", "this", NULL};
    bool is_sign = token->kind == CXX_SIGN && token->size == 1 && strchr("&-+!~", token->text[0]);
    bool is_lambda = cxx_is(token, '[') && !cxx_is(token + 1, '[');
    return token->kind == CXX_NUMBER || token->kind == CXX_TEXT || is_sign || is_lambda ||
           cxx_is_any_word(token, words);
}

/* Whether an argument is a value: `3`, `&a`, `f`, `n::f<T>`, `f(x)`, where `f` is a function. */
static bool is_value(const struct finder *finder, size_t at, size_t end)
{
    const struct cxx_token *tokens = finder->tokens;
    size_t last = SIZE_MAX;
    if (at < end && starts_value(&tokens[at])) {
        return true;
    }
    while (at < end && (tokens[at].kind == CXX_WORD || cxx_is(&tokens[at], CXX_SCOPE))) {
        bool follows = last != SIZE_MAX && at == last + 1 && tokens[at].kind == CXX_WORD;
        if (follows) {
            return false; /* `int x` */
        }
        last = tokens[at].kind == CXX_WORD ? at : last;
        at++;
    }
    size_t after = at < end && cxx_is(&tokens[at], '<') ? declarations_skip_angles(tokens, at, end) : at;
    bool is_whole = after >= end || cxx_is(&tokens[after], '(');
    return last != SIZE_MAX && is_whole && name_set_has(&finder->functions, &tokens[last]) &&
           !name_set_has(&finder->classes, &tokens[last]);
}

/* Whether the parentheses at `at` have a value between their commas. */
static bool has_value(const struct finder *finder, size_t at, size_t end)
{
    size_t start = at + 1;
    for (size_t i = start; i < end; i++) {
        const struct cxx_token *token = &finder->tokens[i];
        bool opens = cxx_is(token, '(') || cxx_is(token, '{') || cxx_is(token, '[');
        size_t next = opens                ? declarations_skip_pair(finder->tokens, i, end)
                      : cxx_is(token, '<') ? declarations_skip_angles(finder->tokens, i, end)
                                           : i;
        bool closes = i + 1 == end;
        if (next > i) {
            i = next - 1;
        } else if (closes || cxx_is(token, ',')) {
            if (is_value(finder, start, i)) {
                return true;
            }
            start = i + 1;
        }
    }
    return false;
}

static bool is_object(const struct finder *finder, const struct declaration *declaration)
{
    const unsigned others = DECLARED_MEMBER | DECLARED_ON_DEVICE | DECLARED_FRIEND | DECLARED_INSTANCE |
                            DECLARED_DEFAULTED | DECLARED_GUIDE;
    if (declaration->kind != DECLARATION_FUNCTION || declaration->body || !declaration->parameters ||
        declaration->name == SIZE_MAX || declaration->flags & others) {
        return false;
    }
    size_t close = declarations_skip_pair(finder->tokens, declaration->parameters, declaration->end);
    bool ends = close < declaration->end &&
                (cxx_is(&finder->tokens[close], ';') || cxx_is(&finder->tokens[close], ','));
    return ends && has_value(finder, declaration->parameters, close);
}

cubinet_status constructed_objects_find(const struct cxx_tokens *tokens, struct declarations *declarations)
{
    struct finder finder = {.tokens = tokens->items};
    cubinet_status status = collect(&finder, declarations);
    for (size_t i = 0; i < declarations->count && !status; i++) {
        struct declaration *declaration = &declarations->items[i];
        if (is_object(&finder, declaration)) {
            declaration->kind = DECLARATION_VARIABLE;
            declaration->value = declaration->parameters;
            declaration->parameters = 0;
        }
    }
    name_set_free(&finder.functions);
    name_set_free(&finder.classes);
    return status;
}
