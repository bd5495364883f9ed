/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/cleaning/ptx_unused.h"

#include "base/array.h"
#include "loader/link/ptx_statement.h"
#include "ptx/reading/ptx_table.h"

#include <stdlib.h>
#include <string.h>

/* A statement that may go. */
struct candidate {
    struct cbn_ptx_lexer text;
    bool used;
};

struct search {
    struct candidate *candidates; /* in the order of the text */
    size_t count;
    struct ptx_table names; /* numbers are candidates */
    size_t *pending;        /* candidates that are used and whose own text was not looked through yet */
    size_t pending_count;
    bool failed; /* out of memory */
};

static void use(struct search *search, size_t number)
{
    if (!search->candidates[number].used) {
        search->candidates[number].used = true;
        search->pending[search->pending_count++] = number;
    }
}

static bool may_go(const struct cbn_ptx_statement *statement)
{
    return statement->kind == CBN_PTX_STATEMENT_VARIABLE && statement->linkage == 0 &&
           (cbn_ptx_token_is(statement->directive, ".global") ||
            cbn_ptx_token_is(statement->directive, ".const"));
}

static bool add_candidate(struct search *search, const struct cbn_ptx_statement *statement)
{
    struct candidate *candidates = array_grow(search->candidates, search->count, sizeof(*candidates));
    if (!candidates) {
        return false;
    }
    search->candidates = candidates;
    candidates[search->count++] = (struct candidate){.text = {statement->start, statement->end}};
    return true;
}

/* Finds the statements that may go. False if the text is not PTX throughout, or memory is out. */
static bool find_candidates(struct search *search, struct cbn_ptx_lexer lexer)
{
    for (;;) {
        struct cbn_ptx_statement statement = cbn_ptx_next_statement(&lexer);
        if (statement.kind == CBN_PTX_STATEMENT_END || statement.kind == CBN_PTX_STATEMENT_DAMAGED) {
            return statement.kind == CBN_PTX_STATEMENT_END;
        }
        if (may_go(&statement) && !add_candidate(search, &statement)) {
            search->failed = true;
            return false;
        }
    }
}

/* Enters what a candidate declares. What is not plainly one variable, or one of several declarations of the
 * same, is used: hand-written PTX has such, and it can stay. */
static void name_candidate(struct search *search, size_t number)
{
    struct cbn_ptx_lexer rest = search->candidates[number].text;
    cbn_ptx_next(&rest); /* ".global" */
    if (rest.end > rest.at && rest.end[-1] == ';') {
        rest.end--;
    }
    struct cbn_ptx_declarators declarators = cbn_ptx_declarators_in(rest);
    struct cbn_ptx_declarator declarator;
    while (cbn_ptx_next_declarator(&declarators, &declarator)) {
        const struct ptx_table_entry *entry;
        if (!ptx_table_add(&search->names, declarator.name, number, &entry)) {
            search->failed = true;
            return;
        }
        if (entry->number != number || declarator.opaque || declarator.many_names) {
            use(search, number);
            use(search, entry->number);
        }
    }
    if (declarators.damaged) {
        use(search, number);
    }
}

static void use_words(struct search *search, struct cbn_ptx_lexer text)
{
    struct cbn_ptx_token word;
    while (cbn_ptx_next_word(&text, &word)) {
        const struct ptx_table_entry *entry = ptx_table_find(&search->names, word);
        if (entry) {
            use(search, entry->number);
        }
    }
}

/* Marks what is used from outside, then what that uses, and so on. */
static void mark(struct search *search, struct cbn_ptx_lexer text, const char *const *keep, size_t keep_count)
{
    for (size_t i = 0; i < keep_count; i++) {
        use_words(search, (struct cbn_ptx_lexer){keep[i], keep[i] + strlen(keep[i])});
    }
    for (size_t i = 0; i < search->count; i++) {
        struct cbn_ptx_lexer candidate = search->candidates[i].text;
        use_words(search, (struct cbn_ptx_lexer){text.at, candidate.at});
        text.at = candidate.end;
    }
    use_words(search, text);
    while (search->pending_count > 0) {
        use_words(search, search->candidates[search->pending[--search->pending_count]].text);
    }
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* A statement with the line that it has for itself. */
static struct cbn_ptx_lexer whole_line(struct cbn_ptx_lexer statement, struct cbn_ptx_lexer text)
{
    struct cbn_ptx_lexer line = statement;
    while (line.at > text.at && is_blank(line.at[-1])) {
        line.at--;
    }
    while (line.end < text.end && is_blank(*line.end)) {
        line.end++;
    }
    bool starts = line.at == text.at || line.at[-1] == '\n';
    bool ends = line.end < text.end && *line.end == '\n';
    line.end += ends;
    return starts && ends ? line : statement;
}

static void append_used(const struct search *search, struct cbn_ptx_lexer text, struct buffer *out)
{
    const char *at = text.at;
    for (size_t i = 0; i < search->count; i++) {
        if (!search->candidates[i].used) {
            struct cbn_ptx_lexer gone = whole_line(search->candidates[i].text, text);
            buffer_append(out, at, (size_t)(gone.at - at));
            at = gone.end;
        }
    }
    buffer_append(out, at, (size_t)(text.end - at));
}

void ptx_drop_unused(const char *text, size_t size, const char *const *keep, size_t keep_count,
                     struct buffer *out)
{
    struct search search = {0};
    struct cbn_ptx_lexer lexer = {text, text + size};
    if (find_candidates(&search, lexer) && search.count > 0) {
        search.pending = calloc(search.count, sizeof(*search.pending));
        search.failed = !search.pending;
        for (size_t i = 0; i < search.count && !search.failed; i++) {
            name_candidate(&search, i);
        }
        if (!search.failed) {
            mark(&search, lexer, keep, keep_count);
            append_used(&search, lexer, out);
        }
    } else {
        buffer_append(out, text, size);
    }
    out->failed |= search.failed;
    free(search.pending);
    ptx_table_free(&search.names);
    free(search.candidates);
}
