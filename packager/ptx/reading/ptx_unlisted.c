/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/reading/ptx_unlisted.h"

#include "loader/core/support/error.h"
#include "loader/link/cubin_globals.h"
#include "loader/link/ptx_statement.h"
#include "ptx/reading/ptx_table.h"

#include <stdlib.h>
#include <string.h>

/* Whether somebody but the host could be meant to use a variable. */
static bool may_be_unused(const struct contents_global *global)
{
    return !global->is_constant && cbn_is_by_the_way(global->name, strlen(global->name));
}

static void mark_words(struct cbn_ptx_lexer text, const struct ptx_table *names, bool *used)
{
    struct cbn_ptx_token word;
    while (cbn_ptx_next_word(&text, &word)) {
        const struct ptx_table_entry *entry = ptx_table_find(names, word);
        if (entry) {
            used[entry->number] = true;
        }
    }
}

/* Marks what code or an initial value names. */
static void mark_used(struct cbn_ptx_lexer lexer, const struct ptx_table *names, bool *used)
{
    struct cbn_ptx_statement statement = cbn_ptx_next_statement(&lexer);
    for (; statement.kind != CBN_PTX_STATEMENT_END; statement = cbn_ptx_next_statement(&lexer)) {
        struct cbn_ptx_lexer rest = statement.rest;
        if (statement.kind == CBN_PTX_STATEMENT_FUNCTION && statement.has_body) {
            mark_words(statement.body, names, used);
        } else if (statement.kind == CBN_PTX_STATEMENT_VARIABLE) {
            const char *equals = memchr(rest.at, '=', (size_t)(rest.end - rest.at));
            mark_words((struct cbn_ptx_lexer){equals ? equals : rest.end, rest.end}, names, used);
        }
    }
}

static void drop_globals(struct contents *contents, const bool *used)
{
    size_t kept = 0;
    for (size_t i = 0; i < contents->global_count; i++) {
        if (used[i] || !may_be_unused(&contents->globals[i])) {
            contents->globals[kept++] = contents->globals[i];
        } else {
            free(contents->globals[i].name);
        }
    }
    contents->global_count = kept;
}

cubinet_status ptx_drop_unlisted(const char *text, size_t size, struct contents *contents)
{
    struct ptx_table names = {0};
    bool *used = calloc(contents->global_count + 1, sizeof(*used));
    const struct ptx_table_entry *entry;
    bool is_added = used != NULL;
    for (size_t i = 0; is_added && i < contents->global_count; i++) {
        const char *name = contents->globals[i].name;
        if (may_be_unused(&contents->globals[i])) {
            is_added =
                ptx_table_add(&names, (struct cbn_ptx_token){CBN_PTX_WORD, name, strlen(name)}, i, &entry);
        }
    }
    if (is_added && names.count > 0) {
        mark_used((struct cbn_ptx_lexer){text, text + size}, &names, used);
        drop_globals(contents, used);
    }
    ptx_table_free(&names);
    free(used);
    return is_added ? CUBINET_OK : cbn_error_memory();
}
