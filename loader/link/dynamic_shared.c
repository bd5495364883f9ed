/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/dynamic_shared.h"

#include "loader/core/archive/format.h"
#include "loader/core/support/error.h"
#include "loader/link/ptx_text.h"
#include "loader/link/read_cubin.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

/* Instructions from Volta on: 16 bytes that start with an opcode and the predicate they depend on. */
enum {
    INSTRUCTION_SIZE = 16,
    OPCODE_MASK = 0xfff,
    OPCODE_COUNT = OPCODE_MASK + 1,
    PREDICATE_SHIFT = 12,
    PREDICATE_NEVER = 0xf, /* fills a gap, such as one after a fence */
    WIDTH_BYTE = 9,
    WIDTH_MASK = 0xe,
    WIDTH_8 = 0xa, /* of a store of 8 bytes, such as mbarrier.init before 9.0 and from 10.0 on */
};

/* What an instruction says of the kernel that has it. */
enum use {
    NO_USE,
    ASKS,     /* whether an address of any kind is one of shared memory */
    MAYBE,    /* accesses it, perhaps only after such a question, or only what the system reserves */
    STORES,   /* to it, perhaps only to what the system reserves */
    COPIES,   /* or synchronizes in it, perhaps only after such a question */
    ACCESSES, /* it, whatever it is given */
    MANAGES,  /* tensor memory, of which the system keeps notes in the shared memory that it reserves */
};

struct instruction {
    unsigned char use;
    unsigned char first; /* architecture that has it; before it, the opcode may be another's */
};

/* By opcode; docs/internals/cubin.md says how they were found. */
static const struct instruction instructions[OPCODE_COUNT] = {
    [0x388] = {STORES, 70},    /* STS */
    [0x38c] = {MAYBE, 70},     /* ATOMS */
    [0x38d] = {MAYBE, 70},     /* ATOMS.CAS, which loops of other atomic operations have, too */
    [0x3aa] = {ASKS, 70},      /* QSPC */
    [0x3b4] = {ACCESSES, 90},  /* UTMALDG: a tensor from global memory */
    [0x3b5] = {ACCESSES, 90},  /* UTMASTG: a tensor to global memory */
    [0x3b6] = {ACCESSES, 90},  /* UTMAREDG: the same, added to what is there */
    [0x3ba] = {COPIES, 90},    /* UBLKCP: bytes in either direction */
    [0x3bb] = {COPIES, 90},    /* UBLKRED: the same, added to what is there */
    [0x3ca] = {ACCESSES, 100}, /* UGETNEXTWORKID: clusterlaunchcontrol.try_cancel */
    [0x3cb] = {ACCESSES, 100}, /* UMEMSETS: st.bulk */
    [0x3e9] = {ACCESSES, 100}, /* UTCBAR: tcgen05.commit */
    [0x58d] = {MAYBE, 100},    /* ATOMS.CAST */
    [0x5a7] = {COPIES, 90},    /* SYNCS: waits for an mbarrier */
    [0x5b2] = {COPIES, 90},    /* SYNCS: mbarrier.init */
    [0x5b4] = {ACCESSES, 90},  /* UTMALDG */
    [0x5e3] = {ACCESSES, 100}, /* UTCATOMSWS: tcgen05.alloc, which stores an address */
    [0x5ea] = {ACCESSES, 100}, /* UTCHMMA and its like: tcgen05.mma */
    [0x83b] = {ACCESSES, 70},  /* LDSM: ldmatrix */
    [0x844] = {ACCESSES, 90},  /* STSM: stmatrix */
    [0x84c] = {MANAGES, 100},  /* UVIRTCOUNT: tcgen05.relinquish_alloc_permit */
    [0x984] = {MAYBE, 70},     /* LDS */
    [0x988] = {STORES, 70},    /* STS */
    [0x98c] = {MAYBE, 70},     /* ATOMS */
    [0x9a7] = {COPIES, 90},    /* SYNCS: arrives at an mbarrier */
    [0x9aa] = {ASKS, 70},      /* QSPC */
    [0x9b0] = {COPIES, 80},    /* ARRIVES: cp.async.mbarrier.arrive */
    [0x9b1] = {COPIES, 90},    /* SYNCS: mbarrier.inval */
    [0x9e3] = {MANAGES, 100},  /* UTCATOMSWS: tcgen05.dealloc */
    [0x9e6] = {MANAGES, 100},  /* UTCSHIFT: tcgen05.shift */
    [0x9e7] = {ACCESSES, 100}, /* UTCCP: tcgen05.cp */
    [0x9ea] = {ACCESSES, 100}, /* UTCHMMA */
    [0x9ed] = {MANAGES, 100},  /* STTM: tcgen05.st */
    [0x9ee] = {MANAGES, 100},  /* LDTM: tcgen05.ld */
    [0xdbd] = {COPIES, 90},    /* STAS: st.async */
    [0xdbe] = {COPIES, 90},    /* REDAS: red.async */
    [0xdea] = {ACCESSES, 100}, /* UTCQMMA */
    [0xf8c] = {COPIES, 80},    /* ATOMS.ARRIVE: mbarrier.arrive before 9.0 */
    [0xfae] = {COPIES, 80},    /* LDGSTS: cp.async */
};

static enum use use_of(const unsigned char *bytes, int number)
{
    unsigned start = cbn_get16(bytes);
    struct instruction known = instructions[start & OPCODE_MASK];
    if (number < known.first || start >> PREDICATE_SHIFT == PREDICATE_NEVER) {
        return NO_USE;
    }
    bool may_init = known.use == STORES && (bytes[WIDTH_BYTE] & WIDTH_MASK) == WIDTH_8;
    return may_init ? MAYBE : known.use;
}

/* Whether code surely accesses shared memory that the system does not reserve. */
static bool has_access(const struct cbn_elf_section *code, int number)
{
    bool has[MANAGES + 1] = {false};
    for (uint64_t at = 0; code->size - at >= INSTRUCTION_SIZE; at += INSTRUCTION_SIZE) {
        has[use_of(code->bytes + at, number)] = true;
    }
    bool is_plain = !has[MANAGES] && (has[STORES] || (has[MAYBE] && !has[ASKS]));
    return has[ACCESSES] || (has[COPIES] && !has[ASKS]) || is_plain;
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
        if (has_access(&code, number)) {
            const char *name = code.name + sizeof(code_prefix) - 1;
            found(user, name, strlen(name));
        }
    }
}

/* A search tree of names in the text. */
struct names {
    void *root;
};

static int compare_names(const void *a, const void *b)
{
    const struct cbn_ptx_token *x = a;
    const struct cbn_ptx_token *y = b;
    return x->size != y->size ? (x->size > y->size) - (x->size < y->size) : memcmp(x->text, y->text, x->size);
}

static bool has_name(const struct names *names, struct cbn_ptx_token name)
{
    return tfind(&name, &names->root, compare_names);
}

static cubinet_status add_name(struct names *names, struct cbn_ptx_token name)
{
    struct cbn_ptx_token *copy = malloc(sizeof(*copy));
    if (!copy) {
        return cbn_error_memory();
    }
    *copy = name;
    struct cbn_ptx_token *const *there = tsearch(copy, &names->root, compare_names);
    if (!there || *there != copy) {
        free(copy);
    }
    return there ? CUBINET_OK : cbn_error_memory();
}

static void free_names(struct names *names)
{
    tdestroy(names->root, free);
}

static cubinet_status add_variables(struct names *names, const struct cbn_ptx_statement *statement)
{
    cubinet_status status = CUBINET_OK;
    struct cbn_ptx_declarators variables = cbn_ptx_declarators_in(statement->rest);
    struct cbn_ptx_declarator variable;
    while (!status && cbn_ptx_next_declarator(&variables, &variable)) {
        status = add_name(names, variable.name);
    }
    return status;
}

static bool declares(struct cbn_ptx_token token)
{
    static const char *const spaces[] = {".reg", ".local", ".param", ".shared", ".const", ".global"};
    for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
        if (cbn_ptx_token_is(token, spaces[i])) {
            return true;
        }
    }
    return false;
}

/* Whether a body names one of them that it does not declare itself before. */
static cubinet_status names_one(struct cbn_ptx_lexer body, const struct names *names, bool *out_found)
{
    struct names own = {0};
    cubinet_status status = CUBINET_OK;
    bool is_start = true; /* of a statement */
    bool is_declaration = false;
    *out_found = false;
    for (struct cbn_ptx_token token = cbn_ptx_next(&body);
         !status && !*out_found && token.kind != CBN_PTX_END && token.kind != CBN_PTX_DAMAGED;
         token = cbn_ptx_next(&body)) {
        is_declaration = is_start ? declares(token) : is_declaration;
        is_start = token.kind == CBN_PTX_PUNCTUATION &&
                   (token.text[0] == ';' || token.text[0] == '{' || token.text[0] == '}');
        if (token.kind == CBN_PTX_WORD && has_name(names, token)) {
            if (is_declaration) {
                status = add_name(&own, token);
            } else {
                *out_found = !has_name(&own, token);
            }
        }
    }
    free_names(&own);
    return status;
}

static cubinet_status look_at_statement(const struct cbn_ptx_statement *statement, struct names *names,
                                        cbn_dynamic_shared_fn *found, void *user)
{
    bool uses = false;
    if (statement->linkage & CBN_PTX_EXTERN && cbn_ptx_token_is(statement->directive, ".shared")) {
        return add_variables(names, statement);
    }
    cubinet_status status = CUBINET_OK;
    if (names->root && statement->has_body) {
        status = names_one(statement->body, names, &uses);
    }
    if (uses && !cbn_ptx_token_is(statement->directive, ".entry")) {
        status = add_name(names, statement->name);
    } else if (uses) {
        found(user, statement->name.text, statement->name.size);
    }
    return status;
}

/* PTX declares before it uses. */
cubinet_status cbn_dynamic_shared_of_ptx(const char *ptx, size_t size, cbn_dynamic_shared_fn *found,
                                         void *user)
{
    struct names names = {0}; /* of the variables, and of functions that use them */
    struct cbn_ptx_lexer text = {ptx, ptx + size};
    struct cbn_ptx_statement statement = cbn_ptx_next_statement(&text);
    cubinet_status status = CUBINET_OK;
    while (!status && statement.kind != CBN_PTX_STATEMENT_END &&
           statement.kind != CBN_PTX_STATEMENT_DAMAGED) {
        status = look_at_statement(&statement, &names, found, user);
        statement = cbn_ptx_next_statement(&text);
    }
    free_names(&names);
    return status;
}
