/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/splitting/ptx_references.h"

#include "ptx/splitting/ptx_writes.h"

#include <string.h>

/* A unit whose words are looked through. */
struct scan {
    struct ptx_units *units;
    size_t unit;
    const char *callee;  /* the word that a direct call names */
    bool names_literals; /* that may be copied */
    struct cbn_ptx_lexer text;
};

static void refer(struct scan *scan, size_t to)
{
    const struct ptx_unit *unit = &scan->units->items[scan->unit];
    bool is_last =
        unit->last_reference != PTX_NO_REFERENCE && scan->units->references[unit->last_reference].unit == to;
    if (to != scan->unit && !is_last) {
        ptx_units_refer(scan->units, scan->unit, to);
    }
}

static void take_name(struct scan *scan, struct cbn_ptx_token word)
{
    const struct ptx_table_entry *entry = ptx_table_find(&scan->units->names, word);
    if (!entry) {
        return;
    }
    const struct ptx_unit *named = &scan->units->items[entry->number];
    refer(scan, entry->number);
    if (named->kind == PTX_UNIT_FUNCTION && word.text != scan->callee) {
        scan->units->items[scan->unit].is_indirect = true; /* its address is taken */
    }
    scan->names_literals |= named->is_copied;
}

/* Takes the number of a file, which stands after `.loc` and `inlined_at`. */
static void take_file(struct scan *scan)
{
    const struct ptx_table_entry *entry = ptx_table_find(&scan->units->files, cbn_ptx_peek(&scan->text));
    if (entry) {
        refer(scan, entry->number);
    }
}

/* Looks which function a call is for; its operands are looked at as all others. */
static void take_call(struct scan *scan)
{
    struct cbn_ptx_lexer lexer = scan->text;
    struct cbn_ptx_token token = cbn_ptx_next(&lexer);
    while (token.kind == CBN_PTX_DIRECTIVE) {
        token = cbn_ptx_next(&lexer);
    }
    if (cbn_ptx_is_punctuation(token, '(') && cbn_ptx_skip_to_close(&lexer, '(', ')', NULL)) {
        cbn_ptx_next(&lexer); /* the comma */
        token = cbn_ptx_next(&lexer);
    }
    const struct ptx_table_entry *entry =
        token.kind == CBN_PTX_WORD ? ptx_table_find(&scan->units->names, token) : NULL;
    scan->callee = token.text;
    if (!entry || scan->units->items[entry->number].kind != PTX_UNIT_FUNCTION) {
        scan->units->items[scan->unit].is_indirect = true;
    }
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Whether ".global" or ".const" starts a declaration in a body: it is joined to no opcode, and describes no
 * parameter. */
static bool declares_state(struct cbn_ptx_token word, const char *start)
{
    const char *dot = word.text - 1;
    if (!cbn_ptx_token_is(word, "global") && !cbn_ptx_token_is(word, "const")) {
        return false;
    }
    const char *at = dot;
    while (at > start && is_space(at[-1])) {
        at--;
    }
    static const char pointer[] = ".ptr";
    size_t size = sizeof(pointer) - 1;
    bool is_pointer = (size_t)(at - start) >= size && memcmp(at - size, pointer, size) == 0;
    bool is_joined = dot > start && !is_space(dot[-1]) && !strchr(";{}:/", dot[-1]);
    return !is_joined && !is_pointer;
}

static void take_directive(struct scan *scan, struct cbn_ptx_token word, const char *start)
{
    struct ptx_unit *unit = &scan->units->items[scan->unit];
    if (cbn_ptx_token_is(word, "loc")) {
        take_file(scan);
    } else if (cbn_ptx_token_is(word, "callprototype") || cbn_ptx_token_is(word, "calltargets")) {
        unit->is_indirect = true;
    } else if (declares_state(word, start) && unit->kind == PTX_UNIT_FUNCTION) {
        unit->has_state = true;
    }
}

static void scan_words(struct scan *scan, struct cbn_ptx_lexer text)
{
    struct cbn_ptx_token word;
    scan->text = text;
    while (cbn_ptx_next_word(&scan->text, &word)) {
        if (word.text > text.at && word.text[-1] == '.') {
            take_directive(scan, word, text.at);
            continue;
        }
        take_name(scan, word);
        if (cbn_ptx_token_is(word, "call")) {
            take_call(scan);
        } else if (cbn_ptx_token_is(word, "inlined_at")) {
            take_file(scan);
        }
    }
}

static void scan_unit(struct ptx_units *units, size_t number)
{
    struct scan scan = {.units = units, .unit = number};
    const struct cbn_ptx_statement *statement = &units->items[number].statement;
    switch (units->items[number].kind) {
    case PTX_UNIT_KERNEL:
    case PTX_UNIT_FUNCTION:
        if (statement->has_body) {
            scan_words(&scan, statement->body);
            units->failed |= scan.names_literals && !ptx_writes_find(units, statement->body);
        }
        break;
    case PTX_UNIT_VARIABLE:
        scan_words(&scan, statement->rest);
        break;
    default:
        break;
    }
}

void ptx_references_find(struct ptx_units *units)
{
    for (size_t i = 0; !units->failed && i < units->count; i++) {
        scan_unit(units, i);
    }
    for (size_t i = 0; i < units->count; i++) {
        struct ptx_unit *unit = &units->items[i];
        unit->has_state |= unit->kind == PTX_UNIT_VARIABLE && !unit->is_copied &&
                           (cbn_ptx_token_is(unit->statement.directive, ".global") ||
                            cbn_ptx_token_is(unit->statement.directive, ".const"));
    }
}
