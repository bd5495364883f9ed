/* SPDX-License-Identifier: Apache-2.0 */
#include "source/host_assertions.h"

#include "toolkit/host_headers.h"

#include <stdlib.h>
#include <string.h>

static bool is_assertion(const struct host_skip *skip, size_t number)
{
    static const char *const words[] = {"static_assert", "_Static_assert", NULL};
    const struct declaration *declaration = &skip->declarations.items[number];
    return declaration->kind == DECLARATION_OTHER &&
           cxx_is_any_word(&skip->unit.tokens.items[declaration->first], words);
}

bool host_assertion_has(const struct host_skip *skip, size_t token)
{
    size_t number = declarations_innermost(&skip->declarations, token);
    return number != SIZE_MAX && is_assertion(skip, number);
}

bool host_assertion_failed(const char *said)
{
    static const char failed[] = "static assertion failed";
    return strncmp(said, failed, strlen(failed)) == 0;
}

struct search {
    const struct host_skip *skip;
    bool *is_seen; /* one for each declaration */
};

static bool names_host(struct search *search, size_t first, size_t end);

/* Whether a class has the host's types as bases or members. */
static bool has_host(struct search *search, size_t number)
{
    const struct declaration *items = search->skip->declarations.items;
    bool found = names_host(search, items[number].name + 1, items[number].body);
    for (size_t i = number + 1;
         !found && i < search->skip->declarations.count && items[i].first < items[number].end; i++) {
        bool is_data = items[i].kind == DECLARATION_VARIABLE && !(items[i].flags & DECLARED_STATIC);
        found = is_data && items[i].parent == number && items[i].name != SIZE_MAX &&
                names_host(search, items[i].first, items[i].name);
    }
    return found;
}

static bool names_host(struct search *search, size_t first, size_t end)
{
    const struct cxx_token *tokens = search->skip->unit.tokens.items;
    const struct declarations *declarations = &search->skip->declarations;
    for (size_t i = first; i < end; i++) {
        if (tokens[i].kind != CXX_WORD) {
            continue;
        }
        if (i >= 2 && cxx_is(&tokens[i - 1], CXX_SCOPE) && cxx_is_word(&tokens[i - 2], "std") &&
            host_headers_declare(tokens[i].text, tokens[i].size)) {
            return true;
        }
        for (size_t j = 0; j < declarations->count; j++) {
            const struct declaration *declaration = &declarations->items[j];
            if (declaration->kind == DECLARATION_CLASS && declaration->name != SIZE_MAX &&
                !search->is_seen[j] && cxx_same(&tokens[i], &tokens[declaration->name])) {
                search->is_seen[j] = true;
                if (has_host(search, j)) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* Whether a message names one of the host's types: `[with T=std::vector<int>]`. */
static bool says_host(const char *message, size_t size)
{
    static const char scope[] = "std::";
    const char *end = message + size;
    for (const char *at = message; (at = memmem(at, (size_t)(end - at), scope, strlen(scope)));) {
        at += strlen(scope);
        if (host_headers_declare(at, strcspn(at, "<>,:() \"]*&\n"))) {
            return true;
        }
    }
    return false;
}

bool host_assertion_is_hosts(const struct host_skip *skip, size_t token, const char *message, size_t size)
{
    size_t number = declarations_innermost(&skip->declarations, token);
    struct search search = {skip, calloc(skip->declarations.count + 1, sizeof(bool))};
    const struct declaration *declaration = &skip->declarations.items[number];
    bool found = says_host(message, size) ||
                 (search.is_seen && names_host(&search, declaration->first, declaration->end));
    free(search.is_seen);
    return found;
}

size_t host_assertions_warn(const struct host_skip *skip, const char *path, struct buffer *messages)
{
    size_t count = 0;
    for (size_t i = 0; i < skip->declarations.count; i++) {
        const struct host_part *part = &skip->parts.items[i];
        if (part->fate != HOST_DROPPED || part->is_inside || !is_assertion(skip, i)) {
            continue;
        }
        const struct cxx_token *first = &skip->unit.tokens.items[skip->declarations.items[i].first];
        const char *file = first->file ? skip->unit.files[first->file]->path : path;
        struct buffer warning = {0};
        buffer_printf(&warning,
                      "%s:%u: warning: this static assertion is not checked: it needs what only the host "
                      "has\n",
                      file, first->line);
        if (warning.data && !(messages->data && strstr(messages->data, warning.data))) {
            buffer_puts(messages, warning.data);
            count++;
        }
        buffer_free(&warning);
    }
    return count;
}
