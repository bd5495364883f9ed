/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/reading/ptx_symbols.h"

#include "base/buffer.h"
#include "loader/core/support/error.h"
#include "loader/link/ptx_statement.h"
#include "ptx/reading/ptx_table.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    struct symbol_list list; /* in the order of the text, then of an archive */
    struct ptx_table names;  /* numbers are those of the list's symbols */
    bool *is_used;           /* for each symbol */
};

bool ptx_is_drivers(struct cbn_ptx_token name)
{
    static const char *const names[] = {"vprintf", "malloc", "free", "__assertfail"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (cbn_ptx_token_is(name, names[i])) {
            return true;
        }
    }
    return false;
}

/* "b32", or "b8[16]" for an array or struct, of each parameter. False if there is something else. */
static bool append_types(struct cbn_ptx_lexer parameters, struct buffer *text)
{
    struct cbn_ptx_declarators declarators = cbn_ptx_declarators_in(parameters);
    struct cbn_ptx_declarator declarator;
    const char *separator = "";
    while (cbn_ptx_next_declarator(&declarators, &declarator)) {
        buffer_printf(text, "%sb%llu", separator, (unsigned long long)declarators.element * 8);
        if (declarator.bytes != declarators.element) {
            buffer_printf(text, "[%llu]", (unsigned long long)(declarator.bytes / declarators.element));
        }
        separator = ",";
    }
    return !declarators.damaged;
}

/* The parameters that a function returns, which stand before its name. */
static struct cbn_ptx_lexer results_of(const struct cbn_ptx_statement *statement)
{
    struct cbn_ptx_lexer before = {statement->directive.text + statement->directive.size,
                                   statement->name.text};
    struct cbn_ptx_lexer inside = {before.end, before.end};
    for (struct cbn_ptx_token token = cbn_ptx_next(&before); token.kind != CBN_PTX_END;
         token = cbn_ptx_next(&before)) {
        if (cbn_ptx_token_is(token, "(")) {
            cbn_ptx_skip_to_close(&before, '(', ')', &inside);
            break;
        }
    }
    return inside;
}

/* A function's type as in cubinet_symbol_info; an empty text if it can't be told. */
static void append_function_type(const struct cbn_ptx_statement *statement, struct buffer *text)
{
    bool told = append_types(results_of(statement), text);
    buffer_puts(text, "(");
    told = append_types(statement->parameters, text) && told;
    buffer_puts(text, ")");
    if (!told) {
        text->size = 0;
    }
}

/* Adds a symbol that is not there yet. Takes what is in `type`. */
static cubinet_status add(struct reader *reader, struct cbn_ptx_token name, struct symbol symbol,
                          struct buffer *type)
{
    const struct ptx_table_entry *entry = ptx_table_find(&reader->names, name);
    cubinet_status status = type->failed ? cbn_error_memory() : CUBINET_OK;
    if (!status && entry) {
        struct symbol *there = &reader->list.items[entry->number];
        there->is_defined = there->is_defined || symbol.is_defined;
    } else if (!status) {
        symbol.name = strndup(name.text, name.size);
        symbol.type = type->size ? type->data : NULL;
        bool added = symbol.name && ptx_table_add(&reader->names, name, reader->list.count, &entry);
        status = added ? symbol_list_add(&reader->list, &symbol) : cbn_error_memory();
        free(symbol.name);
    }
    buffer_free(type);
    return status;
}

static cubinet_status add_function(struct reader *reader, const struct cbn_ptx_statement *statement)
{
    bool is_kernel = cbn_ptx_token_is(statement->directive, ".entry");
    if (is_kernel || statement->linkage == 0 || ptx_is_drivers(statement->name)) {
        return CUBINET_OK;
    }
    const struct symbol symbol = {
        .is_defined = statement->has_body,
        .is_weak = (statement->linkage & CBN_PTX_WEAK) != 0,
    };
    struct buffer type = {0};
    append_function_type(statement, &type);
    return add(reader, statement->name, symbol, &type);
}

static cubinet_status add_variable(struct reader *reader, const struct cbn_ptx_statement *statement)
{
    bool has_symbol =
        cbn_ptx_token_is(statement->directive, ".global") || cbn_ptx_token_is(statement->directive, ".const");
    if (!has_symbol || statement->linkage == 0) {
        return CUBINET_OK;
    }
    const struct symbol symbol = {
        .is_variable = true,
        .is_defined = (statement->linkage & CBN_PTX_EXTERN) == 0,
        .is_weak = (statement->linkage & (CBN_PTX_WEAK | CBN_PTX_COMMON)) != 0,
    };
    struct cbn_ptx_declarators declarators = cbn_ptx_declarators_in(statement->rest);
    struct cbn_ptx_declarator declarator;
    cubinet_status status = CUBINET_OK;
    while (!status && cbn_ptx_next_declarator(&declarators, &declarator)) {
        struct buffer type = {0};
        if (declarator.bytes > 0 && !declarator.opaque) {
            buffer_printf(&type, "b8[%llu]", (unsigned long long)declarator.bytes);
        }
        status = add(reader, declarator.name, symbol, &type);
    }
    if (!status && declarators.damaged) {
        status = cbn_error(CUBINET_ERROR_DAMAGED, "the declaration of a variable in PTX can't be read");
    }
    return status;
}

static cubinet_status add_symbols(struct reader *reader, struct cbn_ptx_lexer lexer)
{
    for (;;) {
        struct cbn_ptx_statement statement = cbn_ptx_next_statement(&lexer);
        cubinet_status status = CUBINET_OK;
        switch (statement.kind) {
        case CBN_PTX_STATEMENT_END:
            return CUBINET_OK;
        case CBN_PTX_STATEMENT_DAMAGED:
            return cbn_error(CUBINET_ERROR_DAMAGED, "what should be PTX can't be read");
        case CBN_PTX_STATEMENT_FUNCTION:
            status = add_function(reader, &statement);
            break;
        case CBN_PTX_STATEMENT_VARIABLE:
            status = add_variable(reader, &statement);
            break;
        default:
            break;
        }
        if (status) {
            return status;
        }
    }
}

static void use_words(struct reader *reader, struct cbn_ptx_lexer text)
{
    struct cbn_ptx_token word;
    while (cbn_ptx_next_word(&text, &word)) {
        const struct ptx_table_entry *entry = ptx_table_find(&reader->names, word);
        if (entry) {
            reader->is_used[entry->number] = true;
        }
    }
}

/* Marks what code or an initial value names. */
static void mark_used(struct reader *reader, struct cbn_ptx_lexer lexer)
{
    struct cbn_ptx_statement statement = cbn_ptx_next_statement(&lexer);
    for (; statement.kind != CBN_PTX_STATEMENT_END; statement = cbn_ptx_next_statement(&lexer)) {
        if (statement.kind == CBN_PTX_STATEMENT_FUNCTION && statement.has_body) {
            use_words(reader, statement.body);
        } else if (statement.kind == CBN_PTX_STATEMENT_VARIABLE && !(statement.linkage & CBN_PTX_EXTERN)) {
            const char *equals =
                memchr(statement.rest.at, '=', (size_t)(statement.rest.end - statement.rest.at));
            use_words(reader,
                      (struct cbn_ptx_lexer){equals ? equals : statement.rest.end, statement.rest.end});
        }
    }
}

/* Copies what is defined or used, in order. */
static cubinet_status keep_used(struct reader *reader, struct symbol_list *out_list)
{
    struct symbol_list list = {.is_recorded = true, .is_complete = true};
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < reader->list.count; i++) {
        reader->list.items[i].is_used = reader->is_used[i];
        if (reader->list.items[i].is_defined || reader->is_used[i]) {
            status = symbol_list_add(&list, &reader->list.items[i]);
        }
    }
    if (status) {
        symbol_list_free(&list);
        return status;
    }
    symbol_list_sort(&list);
    *out_list = list;
    return CUBINET_OK;
}

cubinet_status ptx_symbols_read(const char *text, size_t size, struct symbol_list *out_list)
{
    struct reader reader = {0};
    const struct cbn_ptx_lexer lexer = {text, text + strnlen(text, size)};
    cubinet_status status = add_symbols(&reader, lexer);
    if (!status) {
        reader.is_used = calloc(reader.list.count + 1, sizeof(*reader.is_used));
        status = reader.is_used ? CUBINET_OK : cbn_error_memory();
    }
    if (!status) {
        mark_used(&reader, lexer);
        status = keep_used(&reader, out_list);
    }
    free(reader.is_used);
    ptx_table_free(&reader.names);
    symbol_list_free(&reader.list);
    return status;
}

/* The name in "= name" or "= generic(name)". */
static struct cbn_ptx_token address_after_equals(struct cbn_ptx_lexer rest)
{
    struct cbn_ptx_token token = cbn_ptx_next(&rest);
    while (token.kind != CBN_PTX_END && !cbn_ptx_token_is(token, "=")) {
        token = cbn_ptx_next(&rest);
    }
    struct cbn_ptx_token word = {0};
    bool found = cbn_ptx_next_word(&rest, &word);
    if (found && cbn_ptx_token_is(word, "generic")) {
        found = cbn_ptx_next_word(&rest, &word);
    }
    bool is_name = found && !(word.text[0] >= '0' && word.text[0] <= '9');
    return is_name ? word : (struct cbn_ptx_token){0};
}

struct cbn_ptx_token ptx_symbols_address_in(const char *text, size_t size, const char *variable)
{
    struct cbn_ptx_lexer lexer = {text, text + strnlen(text, size)};
    struct cbn_ptx_statement statement = cbn_ptx_next_statement(&lexer);
    for (; statement.kind != CBN_PTX_STATEMENT_END && statement.kind != CBN_PTX_STATEMENT_DAMAGED;
         statement = cbn_ptx_next_statement(&lexer)) {
        struct cbn_ptx_declarators declarators = cbn_ptx_declarators_in(statement.rest);
        struct cbn_ptx_declarator declarator;
        if (statement.kind == CBN_PTX_STATEMENT_VARIABLE &&
            cbn_ptx_next_declarator(&declarators, &declarator) &&
            cbn_ptx_token_is(declarator.name, variable)) {
            return address_after_equals(statement.rest);
        }
    }
    return (struct cbn_ptx_token){0};
}
