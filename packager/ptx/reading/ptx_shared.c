/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/reading/ptx_shared.h"

#include <cubinet/archive.h>

#include <string.h>

struct usage {
    const struct ptx_shared *shared;
    size_t variables; /* that were seen */
    struct cbn_ptx_token last;
    uint64_t bytes;  /* of the last */
    bool referenced; /* the last: one that is declared and never used takes no memory */
    bool unknown;
};

bool ptx_shared_add(struct ptx_shared *shared, const struct cbn_ptx_declarator *declarator)
{
    const struct ptx_table_entry *entry;
    return ptx_table_add(&shared->sizes, declarator->name, (size_t)declarator->bytes, &entry);
}

void ptx_shared_free(struct ptx_shared *shared)
{
    ptx_table_free(&shared->sizes);
}

static bool is_last(const struct usage *usage, struct cbn_ptx_token name)
{
    return usage->variables > 0 && usage->last.size == name.size &&
           memcmp(usage->last.text, name.text, name.size) == 0;
}

static void use(struct usage *usage, struct cbn_ptx_token name, uint64_t bytes)
{
    if (!is_last(usage, name)) {
        usage->variables++;
        usage->last = name;
        usage->bytes = bytes;
        usage->referenced = false;
    }
}

/* Takes in a ".shared" declaration inside a body, up to its ';'. */
static void use_declared(struct usage *usage, struct cbn_ptx_lexer *lexer)
{
    const char *semicolon = memchr(lexer->at, ';', (size_t)(lexer->end - lexer->at));
    struct cbn_ptx_lexer declaration = {lexer->at, semicolon ? semicolon : lexer->end};
    struct cbn_ptx_declarators declarators = cbn_ptx_declarators_in(declaration);
    struct cbn_ptx_declarator declarator;
    while (cbn_ptx_next_declarator(&declarators, &declarator)) {
        use(usage, declarator.name, declarator.bytes);
    }
    usage->unknown |= declarators.damaged;
    lexer->at = declaration.end;
}

static void take_in(struct usage *usage, struct cbn_ptx_lexer *lexer, struct cbn_ptx_token token,
                    bool starts_statement)
{
    if (token.kind == CBN_PTX_WORD) {
        const struct ptx_table_entry *entry = ptx_table_find(&usage->shared->sizes, token);
        if (entry) {
            use(usage, entry->name, entry->number);
        }
        usage->referenced |= is_last(usage, token);
        usage->unknown |= cbn_ptx_token_is(token, "call");
    } else if (token.kind == CBN_PTX_DIRECTIVE && starts_statement && cbn_ptx_token_is(token, ".shared")) {
        use_declared(usage, lexer);
    } else if (token.kind == CBN_PTX_DIRECTIVE && cbn_ptx_token_is(token, ".pragma")) {
        usage->unknown |= cbn_ptx_token_is(cbn_ptx_peek(lexer), "\"enable_smem_spilling\"");
    }
    usage->unknown |= token.kind == CBN_PTX_DAMAGED || usage->variables > 1;
}

uint32_t ptx_shared_bytes(const struct ptx_shared *shared, struct cbn_ptx_lexer body)
{
    struct usage usage = {.shared = shared};
    bool starts_statement = true;
    for (struct cbn_ptx_token token = cbn_ptx_next(&body); token.kind != CBN_PTX_END && !usage.unknown;
         token = cbn_ptx_next(&body)) {
        take_in(&usage, &body, token, starts_statement);
        starts_statement = token.kind == CBN_PTX_PUNCTUATION && strchr(";:{}", *token.text);
    }
    usage.unknown |= usage.variables > 0 && (!usage.referenced || usage.bytes >= CUBINET_UNKNOWN);
    return usage.unknown ? CUBINET_UNKNOWN : (uint32_t)usage.bytes;
}
