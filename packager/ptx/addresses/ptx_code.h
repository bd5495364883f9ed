/* SPDX-License-Identifier: Apache-2.0 */
/* The instructions in the body of a PTX function, with the registers that they define and the basic blocks
 * that they form. */
#ifndef PTX_CODE_H
#define PTX_CODE_H

#include "loader/link/ptx_lexer.h"
#include "ptx/reading/ptx_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PTX_NONE UINT32_MAX

struct ptx_instruction {
    struct cbn_ptx_token opcode;   /* with all that is joined to it: "ld.shared.v4.u32" */
    struct cbn_ptx_lexer operands; /* up to the ';' */
    uint32_t block;
    bool predicated;
    bool nested; /* in braces inside of the body, where names may mean something else */
};

/* A definition of a register by an instruction, or by one that has no destination but names it where others
 * have theirs. */
struct ptx_definition {
    uint32_t instruction;
    uint32_t previous; /* definition of the same register; PTX_NONE */
};

struct ptx_block {
    uint32_t successors[2]; /* PTX_NONE where there are fewer */
};

struct ptx_code {
    struct ptx_instruction *instructions;
    uint32_t instruction_count;
    struct ptx_block *blocks; /* the first is where the function starts */
    uint32_t block_count;
    struct ptx_table registers; /* names, with '%', and their numbers */
    uint32_t *last_definition;  /* for each register: row of `definitions`, the last in the text; PTX_NONE */
    uint32_t register_count;
    struct ptx_table widths; /* declared names, without the number for "%r<8>", and their bits */
    struct ptx_definition *definitions;
    uint32_t definition_count;
    bool unclear; /* has something that this reader does not follow: nothing may be concluded from the rest */
    bool failed;  /* memory is out */
};

/* Reads a body. What is read points into the text. The caller frees it, whatever the outcome. */
struct ptx_code ptx_code_read(struct cbn_ptx_lexer body);
void ptx_code_free(struct ptx_code *code);

/* The number of a register; PTX_NONE if no instruction defines it. */
uint32_t ptx_code_register(const struct ptx_code *code, struct cbn_ptx_token name);

/* How many bits a register is declared with: 32 or 64, 0 for any other. */
unsigned ptx_code_register_bits(const struct ptx_code *code, struct cbn_ptx_token name);

/* Takes the operand that starts here, up to the next comma outside of brackets, and the comma. False at the
 * end. */
bool ptx_next_operand(struct cbn_ptx_lexer *operands, struct cbn_ptx_lexer *out_operand);

#endif
