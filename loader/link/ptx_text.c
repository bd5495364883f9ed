/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/ptx_text.h"

#include "loader/core/select/target.h"

#include <stdio.h>
#include <string.h>

bool cbn_ptx_target(const char *ptx, cubinet_target *out_target)
{
    struct cbn_ptx_lexer lexer = {ptx, ptx + strlen(ptx)};
    if (!cbn_ptx_token_is(cbn_ptx_next(&lexer), ".version") || cbn_ptx_next(&lexer).kind != CBN_PTX_WORD ||
        !cbn_ptx_token_is(cbn_ptx_next(&lexer), ".target")) {
        return false;
    }
    struct cbn_ptx_token target = cbn_ptx_next(&lexer);
    char name[CUBINET_TARGET_NAME_SIZE];
    cubinet_target found;
    snprintf(name, sizeof(name), "%.*s", (int)target.size, target.text);
    if (!cbn_target_read(name, &found)) {
        return false;
    }
    found.kind = CUBINET_IMAGE_PTX;
    *out_target = found;
    return true;
}

/* Whether a name stands as a word somewhere in the text, comments left aside. */
static bool is_used(struct cbn_ptx_lexer text, struct cbn_ptx_token name)
{
    struct cbn_ptx_token word;
    while (cbn_ptx_next_word(&text, &word)) {
        if (word.size == name.size && memcmp(word.text, name.text, name.size) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether other pieces have to do with a function or variable that is defined or declared here. */
static bool take_symbol(const struct cbn_ptx_symbols *symbols, struct cbn_ptx_token name, unsigned linkage,
                        bool has_body, struct cbn_ptx_symbol *out_symbol)
{
    bool is_extern = (linkage & CBN_PTX_EXTERN) != 0;
    *out_symbol = (struct cbn_ptx_symbol){
        .name = name.text,
        .name_size = name.size,
        .is_defined = !is_extern,
        .is_weak = (linkage & (CBN_PTX_WEAK | CBN_PTX_COMMON)) != 0,
    };
    return is_extern ? is_used(symbols->text, name) : has_body && linkage != 0;
}

struct cbn_ptx_symbols cbn_ptx_symbols_in(const char *ptx)
{
    return (struct cbn_ptx_symbols){.text = {ptx, ptx + strlen(ptx)}};
}

/* The next of the names that one statement declares. */
static bool next_variable(struct cbn_ptx_symbols *symbols, struct cbn_ptx_symbol *out_symbol)
{
    struct cbn_ptx_declarator variable;
    while (cbn_ptx_next_declarator(&symbols->variables, &variable)) {
        if (take_symbol(symbols, variable.name, symbols->linkage, true, out_symbol)) {
            return true;
        }
    }
    symbols->is_damaged |= symbols->variables.damaged;
    return false;
}

bool cbn_ptx_next_symbol(struct cbn_ptx_symbols *symbols, struct cbn_ptx_symbol *out_symbol)
{
    while (!next_variable(symbols, out_symbol)) {
        struct cbn_ptx_statement statement = cbn_ptx_next_statement(&symbols->text);
        symbols->is_damaged |= statement.kind == CBN_PTX_STATEMENT_DAMAGED;
        if (statement.kind == CBN_PTX_STATEMENT_DAMAGED || statement.kind == CBN_PTX_STATEMENT_END) {
            return false;
        }
        if (cbn_ptx_token_is(statement.directive, ".func") &&
            take_symbol(symbols, statement.name, statement.linkage, statement.has_body, out_symbol)) {
            return true;
        }
        if (cbn_ptx_token_is(statement.directive, ".global") ||
            cbn_ptx_token_is(statement.directive, ".const")) {
            symbols->linkage = statement.linkage;
            symbols->variables = cbn_ptx_declarators_in(statement.rest);
        }
    }
    return true;
}
