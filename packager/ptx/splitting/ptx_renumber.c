/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/splitting/ptx_renumber.h"

#include "ptx/reading/ptx_table.h"

#include <stdlib.h>
#include <string.h>

/* Names that differ by a number alone. */
static const struct family {
    const char *start;
    const char *becomes; /* followed by the new number */
    char after;          /* what follows the number in a name; NUL: nothing */
    bool has_unnumbered; /* the first one has no number */
} families[] = {
    {"$L__BB", "$L__BB", '_', false},    /* blocks: the function's number, then the block's */
    {"$L_brx_", "$L_brx_", '\0', false}, /* tables of branches */
    {"prototype_", "prototype_", '\0', false},
    {"__local_depot", "__local_depot", '\0', false},
    {"$str$", "$str$", '\0', true}, /* "$str", "$str$1" */
    {"__unnamed_", "$unnamed$", '\0', false},
};

enum { FAMILIES = sizeof(families) / sizeof(families[0]) };

struct renumbering {
    struct ptx_table names[FAMILIES]; /* with the old number, and their new ones */
    struct buffer *out;
    const char *at; /* what was appended up to */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The part of a word up to its number, if the word is of the family; size 0 if not. */
static struct cbn_ptx_token numbered(const struct family *family, struct cbn_ptx_token word)
{
    size_t start = strlen(family->start);
    const struct cbn_ptx_token none = {0};
    if (family->has_unnumbered && word.size + 1 == start &&
        memcmp(word.text, family->start, word.size) == 0) {
        return word;
    }
    if (word.size <= start || memcmp(word.text, family->start, start) != 0) {
        return none;
    }
    size_t end = start;
    while (end < word.size && is_digit(word.text[end])) {
        end++;
    }
    bool is_whole = family->after ? end < word.size && word.text[end] == family->after : end == word.size;
    return is_whole && end > start ? (struct cbn_ptx_token){CBN_PTX_WORD, word.text, end} : none;
}

static void append_up_to(struct renumbering *renumbering, const char *end)
{
    buffer_append(renumbering->out, renumbering->at, (size_t)(end - renumbering->at));
    renumbering->at = end;
}

static void take_word(struct renumbering *renumbering, struct cbn_ptx_token word)
{
    if (word.text[0] != '$' && word.text[0] != '_' && word.text[0] != 'p') {
        return;
    }
    for (size_t i = 0; i < FAMILIES; i++) {
        struct ptx_table *names = &renumbering->names[i];
        struct cbn_ptx_token old = numbered(&families[i], word);
        const struct ptx_table_entry *entry;
        if (old.size == 0) {
            continue;
        }
        if (!ptx_table_add(names, old, names->count, &entry)) {
            renumbering->out->failed = true;
            return;
        }
        append_up_to(renumbering, word.text);
        buffer_printf(renumbering->out, "%s%zu", families[i].becomes, entry->number);
        renumbering->at = old.text + old.size;
        return;
    }
}

/* Leaves the numbers out of the comments "{ // callseq 3, 0" that lie between two words. */
static void take_comments(struct renumbering *renumbering, const char *start, const char *end)
{
    static const char comment[] = " // callseq";
    for (const char *at = start; (at = memmem(at, (size_t)(end - at), comment, sizeof(comment) - 1));) {
        bool is_brace = at > start && (at[-1] == '{' || at[-1] == '}');
        at += sizeof(comment) - 1;
        if (is_brace) {
            append_up_to(renumbering, at);
            while (at < end && (is_digit(*at) || *at == ',' || *at == ' ')) {
                at++;
            }
            renumbering->at = at;
        }
    }
}

void ptx_append_renumbered(const char *text, size_t size, struct buffer *out)
{
    struct renumbering *renumbering = calloc(1, sizeof(*renumbering)); /* its tables are large */
    struct cbn_ptx_lexer lexer = {text, text + size};
    struct cbn_ptx_token word;
    if (!renumbering) {
        out->failed = true;
        return;
    }
    renumbering->out = out;
    renumbering->at = text;
    for (const char *before = text; !out->failed && cbn_ptx_next_word(&lexer, &word); before = lexer.at) {
        take_comments(renumbering, before, word.text);
        take_word(renumbering, word);
    }
    append_up_to(renumbering, text + size);
    for (size_t i = 0; i < FAMILIES; i++) {
        ptx_table_free(&renumbering->names[i]);
    }
    free(renumbering);
}
