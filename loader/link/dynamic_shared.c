/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/dynamic_shared.h"

#include "loader/core/archive/format.h"
#include "loader/link/ptx_text.h"
#include "loader/link/read_cubin.h"

#include <string.h>

/* Instructions from Volta on: 16 bytes that start with an opcode and the predicate they depend on. */
enum {
    INSTRUCTION_SIZE = 16,
    OPCODE_MASK = 0xfff,
    PREDICATE_SHIFT = 12,
    PREDICATE_NEVER = 0xf, /* fills a gap, such as one behind a fence */

    LDS = 0x984,
    LDSM = 0x83b,
    LDGSTS = 0xfae,
    STS = 0x388,
    STS_UNIFORM = 0x988,
    ATOMS = 0x38c,
    ATOMS_UNIFORM = 0x98c,
    QSPC = 0x3aa, /* asks whether an address is one of shared memory */
};

/* Whether code accesses shared memory whatever it is given. An atomic operation that asks first loads from
 * shared memory, too. */
static bool has_access(const struct cbn_elf_section *code)
{
    bool loads = false;
    bool asks = false;
    for (uint64_t at = 0; code->size - at >= INSTRUCTION_SIZE; at += INSTRUCTION_SIZE) {
        unsigned start = cbn_get16(code->bytes + at);
        if (start >> PREDICATE_SHIFT == PREDICATE_NEVER) {
            continue;
        }
        switch (start & OPCODE_MASK) {
        case LDSM:
        case LDGSTS:
        case STS:
        case STS_UNIFORM:
        case ATOMS:
        case ATOMS_UNIFORM:
            return true;
        case LDS:
            loads = true;
            break;
        case QSPC:
            asks = true;
            break;
        default:
            break;
        }
    }
    return loads && !asks;
}

static const char shared_prefix[] = ".nv.shared.";
static const char code_prefix[] = ".text.";

static bool has_prefix(const char *name, const char *prefix, size_t size)
{
    return strncmp(name, prefix, size - 1) == 0;
}

/* The code of the kernel that a section is about, if that is the kernel's shared memory and there is no other
 * than dynamic; without bytes otherwise. */
static struct cbn_elf_section code_of(const struct cbn_elf *elf, size_t number, uint64_t reserved)
{
    const struct cbn_elf_section none = {0};
    struct cbn_elf_section shared;
    struct cbn_elf_section code;
    if (cbn_elf_section(elf, number, &shared) || shared.type != SHT_NOBITS ||
        (shared.size != reserved && shared.size != 0) ||
        !has_prefix(shared.name, shared_prefix, sizeof(shared_prefix)) ||
        cbn_elf_section(elf, shared.info, &code) ||
        !has_prefix(code.name, code_prefix, sizeof(code_prefix))) {
        return none;
    }
    return code.bytes ? code : none;
}

void cbn_dynamic_shared_of_cubin(const struct cbn_elf *elf, int number, cbn_dynamic_shared_fn *found,
                                 void *user)
{
    enum { FIRST_NUMBER = 70 };
    const struct cbn_elf_strings *names = &elf->file.section_names;
    size_t left =
        elf->file.size; /* of code that is looked at: sections of a damaged file may be about the same */
    if (number < FIRST_NUMBER ||
        !memmem(names->text, names->size, shared_prefix, sizeof(shared_prefix) - 1)) {
        return;
    }
    for (size_t i = 1; i < elf->file.section_count; i++) {
        struct cbn_elf_section code = code_of(elf, i, cbn_reserved_shared(number));
        if (code.size > left) {
            return;
        }
        left -= (size_t)code.size;
        if (has_access(&code)) {
            const char *name = code.name + sizeof(code_prefix) - 1;
            found(user, name, strlen(name));
        }
    }
}

/* As many names as are looked for in each body. */
struct names {
    struct cbn_ptx_token items[64];
    size_t count;
};

static void add_name(struct names *names, struct cbn_ptx_token name)
{
    if (names->count < sizeof(names->items) / sizeof(names->items[0])) {
        names->items[names->count++] = name;
    }
}

static bool has_name(const struct names *names, struct cbn_ptx_token name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (names->items[i].size == name.size && memcmp(names->items[i].text, name.text, name.size) == 0) {
            return true;
        }
    }
    return false;
}

static void add_variables(struct names *names, const struct cbn_ptx_statement *statement)
{
    struct cbn_ptx_declarators variables = cbn_ptx_declarators_in(statement->rest);
    struct cbn_ptx_declarator variable;
    while (cbn_ptx_next_declarator(&variables, &variable)) {
        add_name(names, variable.name);
    }
}

static bool names_one(struct cbn_ptx_lexer body, const struct names *names)
{
    struct cbn_ptx_token word;
    while (cbn_ptx_next_word(&body, &word)) {
        if (has_name(names, word)) {
            return true;
        }
    }
    return false;
}

/* PTX declares before it uses. */
void cbn_dynamic_shared_of_ptx(const char *ptx, size_t size, cbn_dynamic_shared_fn *found, void *user)
{
    struct names names = {.count = 0}; /* of the variables, and of functions that use them */
    struct cbn_ptx_lexer text = {ptx, ptx + size};
    struct cbn_ptx_statement statement = cbn_ptx_next_statement(&text);
    while (statement.kind != CBN_PTX_STATEMENT_END && statement.kind != CBN_PTX_STATEMENT_DAMAGED) {
        if (statement.linkage & CBN_PTX_EXTERN && cbn_ptx_token_is(statement.directive, ".shared")) {
            add_variables(&names, &statement);
        } else if (names.count > 0 && statement.has_body && names_one(statement.body, &names)) {
            if (cbn_ptx_token_is(statement.directive, ".entry")) {
                found(user, statement.name.text, statement.name.size);
            } else {
                add_name(&names, statement.name);
            }
        }
        statement = cbn_ptx_next_statement(&text);
    }
}
