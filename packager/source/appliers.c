/* SPDX-License-Identifier: Apache-2.0 */
#include "source/appliers.h"

static bool is_parameter(const struct cxx_token *tokens, const struct declaration *function, size_t word)
{
    size_t end = declarations_skip_pair(tokens, function->parameters, function->body);
    for (size_t i = function->parameters + 1; i + 1 < end; i++) {
        const struct cxx_token *after = &tokens[i + 1];
        if (cxx_same(&tokens[i], &tokens[word]) &&
            (cxx_is(after, ',') || cxx_is(after, ')') || cxx_is(after, '='))) {
            return true;
        }
    }
    return false;
}

/* Whether a parameter at a token is called: `f(…)`, `std::forward<F>(f)(…)`. */
static bool is_called(const struct cxx_token *tokens, const struct declaration *function, size_t at)
{
    const struct cxx_token *before = &tokens[at - 1];
    bool is_object = !cxx_is(before, '.') && !cxx_is(before, CXX_ARROW) && !cxx_is(before, CXX_SCOPE) &&
                     before->kind != CXX_WORD;
    is_object |= cxx_is_word(before, "return");
    bool calls =
        cxx_is(&tokens[at + 1], '(') || (cxx_is(&tokens[at + 1], ')') && cxx_is(&tokens[at + 2], '('));
    return calls && is_object && is_parameter(tokens, function, at);
}

/* Whether one is handed to what calls it: `std::invoke(f, …)`. */
static bool is_invoked(const struct cxx_token *tokens, const struct declaration *function, size_t at)
{
    static const char *const names[] = {"invoke", "apply", "visit", NULL};
    if (!cxx_is_any_word(&tokens[at], names) || !cxx_is(&tokens[at - 1], CXX_SCOPE) ||
        !cxx_is(&tokens[at + 1], '(')) {
        return false;
    }
    size_t end = declarations_skip_pair(tokens, at + 1, function->body_end);
    for (size_t i = at + 2; i < end && !cxx_is(&tokens[i], ','); i++) {
        if (tokens[i].kind == CXX_WORD && is_parameter(tokens, function, i)) {
            return true;
        }
    }
    return false;
}

bool applier_is(const struct cxx_token *tokens, const struct declaration *function,
                const struct skeleton_names *names)
{
    for (size_t i = function->body + 1; i + 2 < function->body_end; i++) {
        if (tokens[i].kind != CXX_WORD) {
            continue;
        }
        bool is_operator = cxx_is_word(&tokens[i], "operator") && cxx_is_word(&tokens[i - 1], "template") &&
                           cxx_is(&tokens[i + 1], '(') && cxx_is(&tokens[i + 2], ')');
        bool passes_on = (cxx_is(&tokens[i + 1], '(') || cxx_is(&tokens[i + 1], '<')) &&
                         name_set_has(&names->appliers, &tokens[i]);
        if (is_operator || passes_on || is_called(tokens, function, i) || is_invoked(tokens, function, i)) {
            return true;
        }
    }
    return false;
}

bool applier_is_generic_lambda(const struct cxx_token *tokens, size_t at, size_t end, size_t *out_body)
{
    size_t next = declarations_skip_pair(tokens, at, end);
    bool is_generic = false;
    if (next < end && cxx_is(&tokens[next], '<')) {
        size_t after = declarations_skip_angles(tokens, next, end);
        is_generic = after > next;
        next = after;
    }
    if (next < end && cxx_is(&tokens[next], '(')) {
        size_t close = declarations_skip_pair(tokens, next, end);
        for (; next < close; next++) {
            is_generic |= cxx_is_word(&tokens[next], "auto");
        }
    }
    while (next < end && !cxx_is(&tokens[next], '{') && !cxx_is(&tokens[next], ';') &&
           !cxx_is(&tokens[next], ',') && !cxx_is(&tokens[next], ')')) {
        next++;
    }
    *out_body = next;
    return is_generic && next < end && cxx_is(&tokens[next], '{');
}
