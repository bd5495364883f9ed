/* SPDX-License-Identifier: Apache-2.0 */
#include "source/statement_expressions.h"

/* What leaves a statement expression, or a loop around it. */
static const char *const jumps[] = {"return",    "break",    "continue", "goto",
                                    "co_return", "co_yield", "co_await", NULL};

/* Statements that have no value. */
static const char *const valueless[] = {"if", "for", "while", "do", "switch", "case", "default", "asm", NULL};

/* Reads one from its {. A loop within it may have its own break: it is left to the compiler, too. */
static bool read(const struct cxx_tokens *tokens, size_t open, struct statement_expression *out_expression)
{
    size_t depth = 0;
    size_t statement = open + 1; /* the first token of the last one */
    for (size_t i = open; i + 1 < tokens->count; i++) {
        const struct cxx_token *token = &tokens->items[i];
        bool closes = cxx_is(token, '}') || cxx_is(token, ')') || cxx_is(token, ']');
        depth += cxx_is(token, '{') || cxx_is(token, '(') || cxx_is(token, '[');
        depth -= closes;
        if (depth == 0) {
            bool is_valueless = cxx_is_any_word(&tokens->items[statement], valueless);
            *out_expression = (struct statement_expression){open, is_valueless ? i : statement, i};
            /* f({1, 2}) has a list */
            return cxx_is(token, '}') && cxx_is(token + 1, ')') && (is_valueless || cxx_is(token - 1, ';'));
        }
        if (cxx_is_any_word(token, jumps)) {
            return false;
        }
        bool ends = depth == 1 && (cxx_is(token, ';') || cxx_is(token, '}'));
        if (ends && !cxx_is(token + 1, '}')) {
            statement = i + 1;
        }
    }
    return false;
}

bool statement_expression_next(const struct cxx_tokens *tokens, size_t *at,
                               struct statement_expression *out_expression)
{
    while (*at + 1 < tokens->count) {
        size_t open = (*at)++;
        if (open > 0 && cxx_is(&tokens->items[open], '{') && cxx_is(&tokens->items[open - 1], '(') &&
            read(tokens, open, out_expression)) {
            return true;
        }
    }
    return false;
}
