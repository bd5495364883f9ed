/* SPDX-License-Identifier: Apache-2.0 */
#include "source/statement_expressions.h"

#include "source/declarations.h"

enum {
    MAX_DEPTH = 100, /* of statements in statements without braces */
    MAX_GOTOS = 100,
};

/* What leaves a statement expression wherever it is in it. */
static const char *const exits[] = {"return", "co_return", "co_yield", "co_await", NULL};

static const char *const loops[] = {"for", "while", "do", NULL};

/* Statements that have no value. */
static const char *const valueless[] = {"if",     "else", "for",     "while", "do",
                                        "switch", "case", "default", "asm",   NULL};

/* What has been read of a statement expression. */
struct reading {
    const struct cxx_tokens *tokens;
    size_t loop_end;   /* the last of its loops ends there */
    size_t switch_end; /* likewise */
    size_t gotos;
};

/* The position after the statement at `at`. */
static size_t statement_end(const struct cxx_tokens *tokens, size_t at, unsigned depth)
{
    static const char *const heads[] = {"if", "for", "while", "switch", NULL};
    const struct cxx_token *items = tokens->items;
    size_t last = tokens->count - 1;
    if (at >= last || depth > MAX_DEPTH) {
        return at;
    }
    if (cxx_is(&items[at], '{')) {
        return declarations_skip_pair(items, at, last);
    }
    if (cxx_is_any_word(&items[at], heads)) {
        bool is_if = cxx_is_word(&items[at], "if");
        size_t condition = at + 1 + cxx_is_word(&items[at + 1], "constexpr");
        if (!cxx_is(&items[condition], '(')) {
            return at;
        }
        size_t end = statement_end(tokens, declarations_skip_pair(items, condition, last), depth + 1);
        return is_if && cxx_is_word(&items[end], "else") ? statement_end(tokens, end + 1, depth + 1) : end;
    }
    if (cxx_is_word(&items[at], "do")) {
        at = statement_end(tokens, at + 1, depth + 1); /* and to the ; after `while (…)` */
    }
    while (at < last && !cxx_is(&items[at], ';')) {
        bool opens = cxx_is(&items[at], '{') || cxx_is(&items[at], '(') || cxx_is(&items[at], '[');
        at = opens ? declarations_skip_pair(items, at, last) : at + 1;
    }
    return at < last ? at + 1 : at;
}

/* Whether the word at `at` jumps out of the statement expression. */
static bool jumps_out(struct reading *reading, size_t at)
{
    const struct cxx_token *token = &reading->tokens->items[at];
    if (at >= reading->loop_end && cxx_is_any_word(token, loops)) {
        reading->loop_end = statement_end(reading->tokens, at, 0);
    } else if (at >= reading->switch_end && cxx_is_word(token, "switch")) {
        reading->switch_end = statement_end(reading->tokens, at, 0);
    }
    reading->gotos += cxx_is_word(token, "goto");
    bool is_in_loop = at < reading->loop_end;
    return cxx_is_any_word(token, exits) || reading->gotos > MAX_GOTOS ||
           (cxx_is_word(token, "continue") && !is_in_loop) ||
           (cxx_is_word(token, "break") && !is_in_loop && at >= reading->switch_end);
}

/* `name:` */
static bool is_label(const struct cxx_token *token)
{
    return token->kind == CXX_WORD && cxx_is(token + 1, ':');
}

/* Whether the labels of all its goto are in it. */
static bool has_labels(const struct cxx_tokens *tokens, const struct statement_expression *expression)
{
    for (size_t i = expression->open; i < expression->close; i++) {
        bool found = !cxx_is_word(&tokens->items[i], "goto");
        for (size_t j = expression->open; j < expression->close && !found; j++) {
            found = is_label(&tokens->items[j]) && cxx_same(&tokens->items[j], &tokens->items[i + 1]);
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

/* Reads one from its {. */
static bool read(const struct cxx_tokens *tokens, size_t open, struct statement_expression *out_expression)
{
    struct reading reading = {.tokens = tokens};
    size_t depth = 0;
    size_t statement = open + 1; /* the first token of the last one */
    for (size_t i = open; i + 1 < tokens->count; i++) {
        const struct cxx_token *token = &tokens->items[i];
        bool closes = cxx_is(token, '}') || cxx_is(token, ')') || cxx_is(token, ']');
        depth += cxx_is(token, '{') || cxx_is(token, '(') || cxx_is(token, '[');
        depth -= closes;
        if (depth == 0) {
            while (statement + 1 < i && is_label(&tokens->items[statement])) {
                statement += 2;
            }
            bool is_valueless = cxx_is_any_word(&tokens->items[statement], valueless);
            *out_expression = (struct statement_expression){open, is_valueless ? i : statement, i};
            /* f({1, 2}) has a list */
            return cxx_is(token, '}') && cxx_is(token + 1, ')') && (is_valueless || cxx_is(token - 1, ';')) &&
                   (reading.gotos == 0 || has_labels(tokens, out_expression));
        }
        if (token->kind == CXX_WORD && jumps_out(&reading, i)) {
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
