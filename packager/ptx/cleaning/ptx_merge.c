/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/cleaning/ptx_merge.h"

#include "base/array.h"
#include "base/buffer.h"
#include "loader/core/support/error.h"
#include "loader/link/ptx_statement.h"
#include "ptx/reading/ptx_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A run of text, such as the statement that declares a name. */
struct run {
    const char *text;
    size_t size;
    bool is_shareable;
};

struct merging {
    struct ptx_table names; /* numbers are those of `runs` */
    struct run *runs;
    size_t run_count;
    struct run version; /* "9.0", the newest */
    struct run head[2]; /* .target and .address_size, which pieces have to have alike */
    struct buffer body;
    const struct ptx_piece *piece; /* in work */
    char *reason;
    bool failed; /* memory is out */
};

__attribute__((format(printf, 2, 3))) static bool refuse(struct merging *merging, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!merging->reason && vasprintf(&merging->reason, format, args) < 0) {
        merging->reason = NULL;
        merging->failed = true;
    }
    va_end(args);
    return false;
}

static struct run run_of(const struct cbn_ptx_statement *statement, bool is_shareable)
{
    return (struct run){statement->start, (size_t)(statement->end - statement->start), is_shareable};
}

static bool is_same(struct run a, struct run b)
{
    return a.size == b.size && memcmp(a.text, b.text, a.size) == 0;
}

/* Takes a name that a statement declares. *out_is_there: another piece has the same statement. */
static bool take_name(struct merging *merging, struct cbn_ptx_token name, struct run run, bool *out_is_there)
{
    const struct ptx_table_entry *entry = ptx_table_find(&merging->names, name);
    if (entry) {
        struct run there = merging->runs[entry->number];
        *out_is_there = there.is_shareable && run.is_shareable && is_same(there, run);
        return *out_is_there || refuse(merging, "more than one has '%.*s'", (int)name.size, name.text);
    }
    struct run *runs = array_grow(merging->runs, merging->run_count, sizeof(*runs));
    if (!runs) {
        merging->failed = true;
        return false;
    }
    merging->runs = runs;
    runs[merging->run_count] = run;
    merging->failed = !ptx_table_add(&merging->names, name, merging->run_count, &entry);
    merging->run_count++;
    return !merging->failed;
}

static void append(struct merging *merging, struct run run)
{
    buffer_append(&merging->body, run.text, run.size);
    buffer_puts(&merging->body, "\n\n");
}

static bool take_function(struct merging *merging, const struct cbn_ptx_statement *statement)
{
    bool is_there = false;
    bool is_kernel = cbn_ptx_token_is(statement->directive, ".entry");
    struct run run = run_of(statement, !statement->has_body && (statement->linkage & CBN_PTX_EXTERN));
    if (!is_kernel && statement->has_body && statement->linkage) {
        return refuse(merging, "'%s' has functions for other code to link: use `cubinet link`",
                      merging->piece->origin);
    }
    if (!take_name(merging, statement->name, run, &is_there)) {
        return false;
    }
    if (!is_there) {
        append(merging, run);
    }
    return true;
}

static bool take_variable(struct merging *merging, const struct cbn_ptx_statement *statement)
{
    struct cbn_ptx_declarators declarators = cbn_ptx_declarators_in(statement->rest);
    struct cbn_ptx_declarator declarator;
    bool is_dynamic =
        cbn_ptx_token_is(statement->directive, ".shared") && (statement->linkage & CBN_PTX_EXTERN);
    struct run run = run_of(statement, is_dynamic);
    size_t there = 0;
    size_t count = 0;
    if (!is_dynamic && (statement->linkage & (CBN_PTX_EXTERN | CBN_PTX_WEAK | CBN_PTX_COMMON))) {
        return refuse(merging, "'%s' has variables for other code to link: use `cubinet link`",
                      merging->piece->origin);
    }
    while (cbn_ptx_next_declarator(&declarators, &declarator)) {
        bool is_there = false;
        if (declarator.opaque || declarator.many_names) {
            return refuse(merging, "'%s' has textures", merging->piece->origin);
        }
        if (!take_name(merging, declarator.name, run, &is_there)) {
            return false;
        }
        there += is_there;
        count++;
    }
    if (declarators.damaged || count == 0) {
        return refuse(merging, "a variable of '%s' can't be read", merging->piece->origin);
    }
    if (there == 0) {
        append(merging, run);
    }
    return true;
}

/* What stands at the head of each piece. */
static bool take_head(struct merging *merging, struct run *head, const struct cbn_ptx_statement *statement)
{
    struct run run = run_of(statement, false);
    if (head->size > 0 && !is_same(*head, run)) {
        return refuse(merging, "one has `%.*s`, another `%.*s`", (int)head->size, head->text, (int)run.size,
                      run.text);
    }
    *head = run;
    return true;
}

/* 9000 of "9.0", to be compared. */
static unsigned version_of(struct run run)
{
    unsigned major = 0;
    unsigned minor = 0;
    char text[16];
    snprintf(text, sizeof(text), "%.*s", (int)(run.size < sizeof(text) ? run.size : 0), run.text);
    return sscanf(text, "%u.%u", &major, &minor) == 2 ? major * 1000 + minor : 0;
}

static bool take_version(struct merging *merging, const struct cbn_ptx_statement *statement)
{
    struct cbn_ptx_lexer rest = statement->rest;
    struct cbn_ptx_token number = cbn_ptx_next(&rest);
    struct run run = {number.text, number.size, false};
    if (merging->version.size == 0 || version_of(run) > version_of(merging->version)) {
        merging->version = run;
    }
    return true;
}

static bool take(struct merging *merging, const struct cbn_ptx_statement *statement)
{
    switch (statement->kind) {
    case CBN_PTX_STATEMENT_VERSION:
        return take_version(merging, statement);
    case CBN_PTX_STATEMENT_TARGET:
        return take_head(merging, &merging->head[0], statement);
    case CBN_PTX_STATEMENT_FUNCTION:
        return take_function(merging, statement);
    case CBN_PTX_STATEMENT_VARIABLE:
        return take_variable(merging, statement);
    case CBN_PTX_STATEMENT_FILE:
    case CBN_PTX_STATEMENT_SECTION:
        return refuse(merging, "'%s' has debug information", merging->piece->origin);
    default:
        break;
    }
    return cbn_ptx_token_is(statement->directive, ".address_size")
               ? take_head(merging, &merging->head[1], statement)
               : refuse(merging, "'%s' has a %.*s", merging->piece->origin, (int)statement->directive.size,
                        statement->directive.text);
}

static bool take_piece(struct merging *merging, const struct ptx_piece *piece)
{
    struct cbn_ptx_lexer lexer = {piece->text, piece->text + piece->size};
    merging->piece = piece;
    for (;;) {
        struct cbn_ptx_statement statement = cbn_ptx_next_statement(&lexer);
        if (statement.kind == CBN_PTX_STATEMENT_END) {
            return true;
        }
        if (statement.kind == CBN_PTX_STATEMENT_DAMAGED) {
            return refuse(merging, "'%s' can't be read as PTX", piece->origin);
        }
        if (!take(merging, &statement)) {
            return false;
        }
    }
}

static void write_whole(const struct merging *merging, struct buffer *text)
{
    buffer_puts(text, ".version ");
    buffer_append(text, merging->version.text, merging->version.size);
    for (size_t i = 0; i < 2; i++) {
        buffer_puts(text, "\n");
        buffer_append(text, merging->head[i].text, merging->head[i].size);
    }
    buffer_puts(text, "\n\n");
    buffer_append(text, merging->body.data, merging->body.size);
}

cubinet_status ptx_merge(const struct ptx_piece *pieces, size_t count, char **out_text, size_t *out_size,
                         char **out_reason)
{
    struct merging merging = {.piece = pieces};
    struct buffer text = {0};
    size_t taken = 0;
    while (taken < count && take_piece(&merging, &pieces[taken])) {
        taken++;
    }
    if (taken == count) {
        write_whole(&merging, &text);
    }
    bool failed = merging.failed || merging.body.failed || text.failed;
    if (failed) {
        buffer_free(&text);
        free(merging.reason);
        merging.reason = NULL;
    }
    *out_size = text.size;
    *out_text = text.size > 0 ? buffer_take(&text) : NULL;
    *out_reason = merging.reason;
    ptx_table_free(&merging.names);
    free(merging.runs);
    buffer_free(&merging.body);
    return failed ? cbn_error_memory() : CUBINET_OK;
}
