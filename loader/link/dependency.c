/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/dependency.h"

#include "loader/core/archive/format.h"
#include "loader/link/ptx_statement.h"

#include <string.h>

/* Instructions have 16 bytes that start with an opcode and the predicate they depend on. */
enum {
    INSTRUCTION_SIZE = 16,
    OPCODE_MASK = 0xfff,
    PREDICATE_SHIFT = 12,
    PREDICATE_NEVER = 0xf,

    ACQBULK = 0x82e, /* griddepcontrol.wait */
    PREEXIT = 0x82d, /* griddepcontrol.launch_dependents */

    MOST_PASSES = 8, /* over PTX, which may be made to be slow */

    BOTH = CBN_DEPENDENCY_WAITS | CBN_DEPENDENCY_TRIGGERS,
};

static unsigned flags_of_code(const struct cbn_elf_section *code)
{
    unsigned flags = 0;
    for (uint64_t at = 0; code->size - at >= INSTRUCTION_SIZE && flags != BOTH; at += INSTRUCTION_SIZE) {
        unsigned start = cbn_get16(code->bytes + at);
        unsigned opcode = start & OPCODE_MASK;
        if ((opcode == ACQBULK || opcode == PREEXIT) && start >> PREDICATE_SHIFT != PREDICATE_NEVER) {
            flags |= opcode == ACQBULK ? CBN_DEPENDENCY_WAITS : CBN_DEPENDENCY_TRIGGERS;
        }
    }
    return flags;
}

/* Functions in sections of their own may be called by any kernel of the cubin. */
void cbn_dependency_of_cubin(const struct cbn_elf *elf, int number, cbn_dependency_fn *found, void *user)
{
    static const char prefix[] = ".text.";
    unsigned of_functions = 0;
    size_t left =
        elf->file.size; /* of code that is looked at: sections of a damaged file may be the same bytes */
    for (size_t i = 1; number >= CBN_DEPENDENCY_FIRST && i < elf->file.section_count; i++) {
        struct cbn_elf_section code;
        if (cbn_elf_section(elf, i, &code) || !code.bytes ||
            strncmp(code.name, prefix, sizeof(prefix) - 1) != 0) {
            continue;
        }
        if (code.size > left) {
            of_functions = BOTH; /* not all is looked at: which refuses no launch */
            break;
        }
        left -= (size_t)code.size;
        const char *name = code.name + sizeof(prefix) - 1;
        unsigned flags = flags_of_code(&code);
        of_functions |= flags && !found(user, name, strlen(name), flags) ? flags : 0;
    }
    if (of_functions) {
        found(user, NULL, 0, of_functions);
    }
}

/* Functions of PTX that have the instructions, or name one that has. */
struct functions {
    struct {
        struct cbn_ptx_token name;
        unsigned flags;
    } items[64];
    size_t count;
    unsigned flags;     /* of all of them */
    bool is_incomplete; /* not all were looked at: any kernel may call one */
};

static unsigned flags_of_name(const struct functions *functions, struct cbn_ptx_token name)
{
    unsigned flags = 0;
    for (size_t i = 0; i < functions->count; i++) {
        struct cbn_ptx_token known = functions->items[i].name;
        if (known.size == name.size && memcmp(known.text, name.text, name.size) == 0) {
            flags |= functions->items[i].flags;
        }
    }
    return flags;
}

/* What a body has, and what the functions have that it names. One that calls through a pointer may call any
 * of them. */
static unsigned flags_of_body(struct cbn_ptx_lexer body, const struct functions *functions)
{
    unsigned flags = 0;
    for (struct cbn_ptx_token token = cbn_ptx_next(&body);
         token.kind != CBN_PTX_END && token.kind != CBN_PTX_DAMAGED && flags != BOTH;
         token = cbn_ptx_next(&body)) {
        if (cbn_ptx_token_is(token, "griddepcontrol")) {
            struct cbn_ptx_token which = cbn_ptx_peek(&body);
            flags |= cbn_ptx_token_is(which, ".wait")                ? CBN_DEPENDENCY_WAITS
                     : cbn_ptx_token_is(which, ".launch_dependents") ? CBN_DEPENDENCY_TRIGGERS
                                                                     : 0U;
        } else if (token.kind == CBN_PTX_WORD) {
            flags |= flags_of_name(functions, token);
        } else if (cbn_ptx_token_is(token, ".callprototype") || cbn_ptx_token_is(token, ".calltargets")) {
            flags |= functions->flags;
        }
    }
    return flags;
}

/* Adds functions; false if none is new, or has more than it had. */
static bool add_functions(const char *ptx, size_t size, struct functions *functions)
{
    struct cbn_ptx_lexer text = {ptx, ptx + size};
    bool is_new = false;
    for (struct cbn_ptx_statement statement = cbn_ptx_next_statement(&text);
         statement.kind != CBN_PTX_STATEMENT_END && statement.kind != CBN_PTX_STATEMENT_DAMAGED;
         statement = cbn_ptx_next_statement(&text)) {
        if (!statement.has_body || !cbn_ptx_token_is(statement.directive, ".func")) {
            continue;
        }
        unsigned flags = flags_of_body(statement.body, functions);
        if (!(flags & ~flags_of_name(functions, statement.name))) {
            continue;
        }
        functions->flags |= flags;
        if (functions->count == sizeof(functions->items) / sizeof(functions->items[0])) {
            functions->is_incomplete = true;
            functions->flags = BOTH; /* of those that are not looked at; it refuses no launch */
            return false;
        }
        functions->items[functions->count].name = statement.name;
        functions->items[functions->count++].flags = flags;
        is_new = true;
    }
    return is_new;
}

void cbn_dependency_of_ptx(const char *ptx, size_t size, cbn_dependency_fn *found, void *user)
{
    static const char instruction[] = "griddepcontrol";
    struct functions functions = {.count = 0};
    struct cbn_ptx_lexer text = {ptx, ptx + size};
    if (!memmem(ptx, size, instruction, sizeof(instruction) - 1)) {
        return;
    }
    int passes = 1; /* functions may be named by those before them */
    while (add_functions(ptx, size, &functions) && passes < MOST_PASSES) {
        passes++;
    }
    functions.is_incomplete |= passes == MOST_PASSES;
    for (struct cbn_ptx_statement statement = cbn_ptx_next_statement(&text);
         statement.kind != CBN_PTX_STATEMENT_END && statement.kind != CBN_PTX_STATEMENT_DAMAGED;
         statement = cbn_ptx_next_statement(&text)) {
        if (statement.has_body && cbn_ptx_token_is(statement.directive, ".entry")) {
            unsigned flags = flags_of_body(statement.body, &functions);
            if (flags) {
                found(user, statement.name.text, statement.name.size, flags);
            }
        }
    }
    if (functions.is_incomplete) {
        found(user, NULL, 0, functions.flags);
    }
}
