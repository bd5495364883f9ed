/* SPDX-License-Identifier: Apache-2.0 */
#include "cxx/cxx_token.h"

#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

cubinet_status cxx_tokens_add(struct cxx_tokens *tokens, const struct cxx_token *token)
{
    if (tokens->count == tokens->capacity) {
        size_t capacity = tokens->capacity ? 2 * tokens->capacity : 64;
        struct cxx_token *items = reallocarray(tokens->items, capacity, sizeof(*items));
        if (!items) {
            return cbn_error_memory();
        }
        tokens->items = items;
        tokens->capacity = capacity;
    }
    tokens->items[tokens->count++] = *token;
    return CUBINET_OK;
}

void cxx_tokens_free(struct cxx_tokens *tokens)
{
    free(tokens->items);
    *tokens = (struct cxx_tokens){0};
}

bool cxx_is_word(const struct cxx_token *token, const char *word)
{
    return token->kind == CXX_WORD && strlen(word) == token->size &&
           memcmp(token->text, word, token->size) == 0;
}

const struct cxx_token *cxx_line_end(const struct cxx_token *at)
{
    while (at->kind != CXX_END && !(at->flags & CXX_STARTS_LINE)) {
        at++;
    }
    return at;
}

bool cxx_is_directive(const struct cxx_token *token, const char *word)
{
    return cxx_is(token, '#') && token->flags & CXX_STARTS_LINE && cxx_is_word(token + 1, word);
}

bool cxx_is_any_word(const struct cxx_token *token, const char *const *words)
{
    for (; *words; words++) {
        if (cxx_is_word(token, *words)) {
            return true;
        }
    }
    return false;
}

bool cxx_same(const struct cxx_token *one, const struct cxx_token *other)
{
    return one->size == other->size && memcmp(one->text, other->text, one->size) == 0;
}
