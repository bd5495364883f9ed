/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/splitting/ptx_units.h"

#include "base/array.h"
#include "ptx/reading/ptx_symbols.h"

#include <stdlib.h>
#include <string.h>

void ptx_units_refuse(struct ptx_units *units, const char *reason, struct cbn_ptx_token name)
{
    if (!units->reason) {
        units->reason = reason;
        units->reason_name = name;
    }
}

void ptx_units_refer(struct ptx_units *units, size_t from, size_t to)
{
    struct ptx_unit *unit = &units->items[from];
    struct ptx_reference *references =
        array_grow(units->references, units->reference_count, sizeof(*references));
    if (!references) {
        units->failed = true;
        return;
    }
    units->references = references;
    references[units->reference_count] = (struct ptx_reference){to, unit->last_reference};
    unit->last_reference = units->reference_count++;
}

static struct ptx_unit *add_unit(struct ptx_units *units, enum ptx_unit_kind kind, struct cbn_ptx_lexer text)
{
    struct ptx_unit *items = array_grow(units->items, units->count, sizeof(*items));
    if (!items) {
        units->failed = true;
        return NULL;
    }
    units->items = items;
    items[units->count] = (struct ptx_unit){.kind = kind, .text = text, .last_reference = PTX_NO_REFERENCE};
    return &items[units->count++];
}

/* Adds a name of the last unit. Whatever declares and defines the same needs each other. */
static void add_name(struct ptx_units *units, struct cbn_ptx_token name)
{
    const struct ptx_table_entry *entry;
    size_t unit = units->count - 1;
    if (units->failed || !ptx_table_add(&units->names, name, unit, &entry)) {
        units->failed = true;
    } else if (entry->number != unit) {
        ptx_units_refer(units, unit, entry->number);
        ptx_units_refer(units, entry->number, unit);
    }
}

static void add_function(struct ptx_units *units, const struct cbn_ptx_statement *statement,
                         struct cbn_ptx_lexer text)
{
    bool is_kernel = cbn_ptx_token_is(statement->directive, ".entry");
    enum ptx_unit_kind kind = !is_kernel            ? PTX_UNIT_FUNCTION
                              : statement->has_body ? PTX_UNIT_KERNEL
                                                    : PTX_UNIT_OTHER;
    struct ptx_unit *unit = add_unit(units, kind, text);
    if (!unit) {
        return;
    }
    unit->statement = *statement;
    add_name(units, statement->name);
    if (!is_kernel && statement->has_body && statement->linkage) {
        ptx_units_refuse(units, "other modules may call a function", statement->name);
    }
    if (!is_kernel && (statement->linkage & CBN_PTX_EXTERN) && !ptx_is_drivers(statement->name)) {
        ptx_units_refuse(units, "another module defines a function", statement->name);
    }
}

/* The compiler's literals: strings, tables of virtual functions, tables of sinf() and its like. */
static bool is_literal(struct cbn_ptx_token name)
{
    static const char *const starts[] = {"$", "_$_", "__unnamed_", "_ZTV", "_ZTI", "_ZTS", "__cudart_"};
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        size_t size = strlen(starts[i]);
        if (name.size > size && memcmp(name.text, starts[i], size) == 0) {
            return true;
        }
    }
    return false;
}

static void name_variables(struct ptx_units *units, const struct cbn_ptx_statement *statement,
                           bool *out_literals, bool *out_managed)
{
    struct cbn_ptx_declarators declarators = cbn_ptx_declarators_in(statement->rest);
    struct cbn_ptx_declarator declarator;
    *out_literals = true;
    while (cbn_ptx_next_declarator(&declarators, &declarator)) {
        add_name(units, declarator.name);
        *out_literals = *out_literals && is_literal(declarator.name);
        if (declarator.opaque) {
            ptx_units_refuse(units, "there is a texture, sampler or surface reference", declarator.name);
        }
        if (declarator.many_names) {
            ptx_units_refuse(units, "one declaration has many names", declarator.name);
        }
    }
    if (declarators.damaged) {
        ptx_units_refuse(units, "a declaration is not understood", statement->directive);
    }
    *out_managed = declarators.managed;
}

static void add_variable(struct ptx_units *units, const struct cbn_ptx_statement *statement,
                         struct cbn_ptx_lexer text)
{
    struct ptx_unit *unit = add_unit(units, PTX_UNIT_VARIABLE, text);
    if (!unit) {
        return;
    }
    bool is_memory =
        cbn_ptx_token_is(statement->directive, ".global") || cbn_ptx_token_is(statement->directive, ".const");
    bool are_literals;
    bool is_managed;
    unit->statement = *statement;
    name_variables(units, statement, &are_literals, &is_managed);
    bool has_value = memchr(statement->rest.at, '=', (size_t)(statement->rest.end - statement->rest.at));
    if (!is_memory && cbn_ptx_token_is(statement->directive, ".tex")) {
        ptx_units_refuse(units, "there is a texture reference", statement->directive);
    } else if (is_memory && (statement->linkage & CBN_PTX_EXTERN)) {
        ptx_units_refuse(units, "another module defines a variable", (struct cbn_ptx_token){0});
    } else if (is_memory) {
        unit->is_copied = are_literals && has_value && !is_managed && statement->linkage == 0;
    }
}

/* What is left of a section between labels goes with the label before. */
static void add_strings(struct ptx_units *units, const struct cbn_ptx_statement *statement,
                        struct cbn_ptx_lexer text)
{
    size_t open = units->count;
    struct cbn_ptx_lexer body = statement->body;
    const char *start = text.at;
    if (!add_unit(units, PTX_UNIT_OTHER, text)) {
        return;
    }
    for (struct cbn_ptx_token token = cbn_ptx_next(&body); token.kind != CBN_PTX_END;
         token = cbn_ptx_next(&body)) {
        if (token.kind == CBN_PTX_DAMAGED) {
            ptx_units_refuse(units, "debug information is not understood", statement->directive);
            return;
        }
        if (token.kind == CBN_PTX_WORD && cbn_ptx_token_is(cbn_ptx_peek(&body), ":")) {
            units->items[units->count - 1].text = (struct cbn_ptx_lexer){start, token.text};
            start = token.text;
            add_unit(units, PTX_UNIT_OTHER, text);
            add_name(units, token);
        }
    }
    units->items[units->count - 1].text = (struct cbn_ptx_lexer){start, statement->body.end};
    size_t close = units->count;
    add_unit(units, PTX_UNIT_OTHER, (struct cbn_ptx_lexer){statement->body.end, text.end});
    for (size_t i = open + 1; !units->failed && i < close; i++) {
        ptx_units_refer(units, i, open);
        ptx_units_refer(units, i, close);
    }
}

static void add_file(struct ptx_units *units, const struct cbn_ptx_statement *statement,
                     struct cbn_ptx_lexer text)
{
    struct cbn_ptx_lexer rest = statement->rest;
    struct cbn_ptx_token number = cbn_ptx_next(&rest);
    const struct ptx_table_entry *entry;
    if (number.kind != CBN_PTX_WORD) {
        ptx_units_refuse(units, "a file is not understood", statement->directive);
    } else if (add_unit(units, PTX_UNIT_OTHER, text)) {
        units->failed = units->failed || !ptx_table_add(&units->files, number, units->count - 1, &entry);
    }
}

static void add_other(struct ptx_units *units, const struct cbn_ptx_statement *statement,
                      struct cbn_ptx_lexer text)
{
    if (!cbn_ptx_token_is(statement->directive, ".address_size") &&
        !cbn_ptx_token_is(statement->directive, ".pragma")) {
        ptx_units_refuse(units, "a statement is not understood", statement->directive);
    }
    add_unit(units, PTX_UNIT_HEAD, text);
}

static void add_statement(struct ptx_units *units, const struct cbn_ptx_statement *statement,
                          struct cbn_ptx_lexer text)
{
    struct cbn_ptx_lexer rest = statement->rest;
    switch (statement->kind) {
    case CBN_PTX_STATEMENT_FUNCTION:
        add_function(units, statement, text);
        break;
    case CBN_PTX_STATEMENT_VARIABLE:
        add_variable(units, statement, text);
        break;
    case CBN_PTX_STATEMENT_FILE:
        add_file(units, statement, text);
        break;
    case CBN_PTX_STATEMENT_SECTION:
        if (cbn_ptx_token_is(cbn_ptx_next(&rest), ".debug_str")) {
            add_strings(units, statement, text);
        } else {
            ptx_units_refuse(units, "there is debug information", statement->directive);
        }
        break;
    case CBN_PTX_STATEMENT_VERSION:
    case CBN_PTX_STATEMENT_TARGET:
        add_unit(units, PTX_UNIT_HEAD, text);
        break;
    default:
        add_other(units, statement, text);
        break;
    }
}

struct ptx_units ptx_units_read(struct cbn_ptx_lexer text)
{
    struct ptx_units units = {0};
    struct cbn_ptx_lexer lexer = text;
    while (!units.failed && !units.reason) {
        struct cbn_ptx_statement statement = cbn_ptx_next_statement(&lexer);
        if (statement.kind == CBN_PTX_STATEMENT_DAMAGED) {
            ptx_units_refuse(&units, "it is not PTX throughout", (struct cbn_ptx_token){0});
        }
        if (statement.kind == CBN_PTX_STATEMENT_END || units.reason) {
            break;
        }
        const char *start = units.count == 0 ? text.at : statement.start;
        add_statement(&units, &statement, (struct cbn_ptx_lexer){start, statement.end});
    }
    return units;
}

void ptx_units_free(struct ptx_units *units)
{
    free(units->items);
    free(units->references);
    ptx_table_free(&units->names);
    ptx_table_free(&units->files);
    *units = (struct ptx_units){0};
}
