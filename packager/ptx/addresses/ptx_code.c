/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/addresses/ptx_code.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* A branch whose label may come later. */
struct branch {
    uint32_t block;
    struct cbn_ptx_token label;
};

struct reader {
    struct ptx_code code;
    struct cbn_ptx_lexer lexer;
    struct ptx_table labels; /* and the blocks that they start */
    struct branch *branches;
    uint32_t branch_count;
    unsigned depth; /* of braces */
};

/* Rows have 32-bit numbers. */
static void *grow(struct ptx_code *code, void *array, uint32_t count, size_t element)
{
    void *grown = count < UINT32_MAX / 4 ? array_grow(array, count, element) : NULL;
    code->failed |= !grown;
    return grown;
}

static uint32_t add_block(struct ptx_code *code)
{
    struct ptx_block *blocks = grow(code, code->blocks, code->block_count, sizeof(*blocks));
    if (!blocks) {
        return 0;
    }
    code->blocks = blocks;
    blocks[code->block_count] = (struct ptx_block){{PTX_NONE, PTX_NONE}};
    return code->block_count++;
}

/* Starts a block; the one before it runs on into it if `falls_through`. */
static void start_block(struct ptx_code *code, bool falls_through)
{
    uint32_t last = code->block_count - 1;
    uint32_t next = add_block(code);
    if (!code->failed && falls_through) {
        code->blocks[last].successors[0] = next;
    }
}

static void add_definition(struct ptx_code *code, struct cbn_ptx_token name)
{
    const struct ptx_table_entry *entry;
    if (!ptx_table_add(&code->registers, name, code->register_count, &entry)) {
        code->failed = true;
        return;
    }
    uint32_t number = (uint32_t)entry->number;
    if (number == code->register_count) {
        uint32_t *last = grow(code, code->last_definition, number, sizeof(*last));
        if (!last) {
            return;
        }
        code->last_definition = last;
        last[number] = PTX_NONE;
        code->register_count++;
    }
    struct ptx_definition *definitions =
        grow(code, code->definitions, code->definition_count, sizeof(*definitions));
    if (definitions) {
        code->definitions = definitions;
        definitions[code->definition_count] =
            (struct ptx_definition){code->instruction_count - 1, code->last_definition[number]};
        code->last_definition[number] = code->definition_count++;
    }
}

/* PTX has destinations in its first operand: a register, a pair such as %r1|%p1, or several in brackets. */
static void add_definitions(struct ptx_code *code, struct cbn_ptx_lexer operands)
{
    struct cbn_ptx_lexer first;
    struct cbn_ptx_token word;
    if (!ptx_next_operand(&operands, &first) || cbn_ptx_is_punctuation(cbn_ptx_peek(&first), '[')) {
        return;
    }
    while (!code->failed && cbn_ptx_next_word(&first, &word)) {
        if (*word.text == '%') {
            add_definition(code, word);
        }
    }
}

static bool starts_with(struct cbn_ptx_token opcode, const char *name)
{
    size_t size = strlen(name);
    return opcode.size >= size && memcmp(opcode.text, name, size) == 0 &&
           (opcode.size == size || opcode.text[size] == '.');
}

/* Ends the block after an instruction that may go elsewhere. */
static void follow(struct reader *reader, const struct ptx_instruction *instruction)
{
    struct ptx_code *code = &reader->code;
    if (starts_with(instruction->opcode, "bra")) {
        struct branch *branches = grow(code, reader->branches, reader->branch_count, sizeof(*branches));
        if (!branches) {
            return;
        }
        struct cbn_ptx_lexer operands = instruction->operands;
        reader->branches = branches;
        branches[reader->branch_count++] = (struct branch){instruction->block, cbn_ptx_next(&operands)};
    } else if (starts_with(instruction->opcode, "brx")) {
        code->unclear = true;
    } else if (!starts_with(instruction->opcode, "ret") && !starts_with(instruction->opcode, "exit")) {
        return;
    }
    start_block(code, instruction->predicated);
}

/* Takes everything up to and with the next ';', and gives what is before it. */
static struct cbn_ptx_lexer take_to_semicolon(struct reader *reader)
{
    struct cbn_ptx_lexer taken = reader->lexer;
    struct cbn_ptx_token token;
    do {
        token = cbn_ptx_next(&reader->lexer);
        reader->code.unclear |= token.kind == CBN_PTX_END || token.kind == CBN_PTX_DAMAGED;
    } while (!reader->code.unclear && !cbn_ptx_is_punctuation(token, ';'));
    taken.end = token.text;
    return taken;
}

/* Takes an instruction that starts with `first`: its opcode, or '@' and a predicate. */
static void take_instruction(struct reader *reader, struct cbn_ptx_token first)
{
    struct ptx_code *code = &reader->code;
    struct cbn_ptx_lexer *lexer = &reader->lexer;
    struct ptx_instruction instruction = {.block = code->block_count - 1, .nested = reader->depth > 0};
    if (cbn_ptx_is_punctuation(first, '@')) {
        instruction.predicated = true;
        first = cbn_ptx_next(lexer);
        if (cbn_ptx_is_punctuation(first, '!')) {
            cbn_ptx_next(lexer);
        }
        first = cbn_ptx_next(lexer);
    }
    while (lexer->at < lexer->end && !strchr(" \t\r\n;[{(%/", *lexer->at)) {
        lexer->at++;
    }
    instruction.opcode = (struct cbn_ptx_token){CBN_PTX_WORD, first.text, (size_t)(lexer->at - first.text)};
    instruction.operands = take_to_semicolon(reader);
    struct ptx_instruction *instructions =
        grow(code, code->instructions, code->instruction_count, sizeof(*instructions));
    if (instructions) {
        code->instructions = instructions;
        instructions[code->instruction_count++] = instruction;
        add_definitions(code, instruction.operands);
        follow(reader, &instruction);
    }
}

static unsigned bits_of(struct cbn_ptx_token type)
{
    static const char *const wide[] = {".b64", ".u64", ".s64"};
    static const char *const narrow[] = {".b32", ".u32", ".s32"};
    unsigned bits = 0;
    for (size_t i = 0; i < sizeof(wide) / sizeof(*wide); i++) {
        bits = cbn_ptx_token_is(type, wide[i]) ? 64 : cbn_ptx_token_is(type, narrow[i]) ? 32 : bits;
    }
    return bits;
}

/* Takes a declaration of registers. Names without '%' can't be told from those of variables, and those that
 * are declared in braces may hide others. */
static void take_registers(struct reader *reader)
{
    struct ptx_code *code = &reader->code;
    struct cbn_ptx_lexer names = take_to_semicolon(reader);
    struct cbn_ptx_token token;
    unsigned bits = 0;
    while ((token = cbn_ptx_next(&names)).kind == CBN_PTX_DIRECTIVE) {
        bits = bits_of(token);
    }
    for (; token.kind != CBN_PTX_END; token = cbn_ptx_next(&names)) {
        bool percent = token.kind == CBN_PTX_WORD && *token.text == '%';
        const struct ptx_table_entry *entry;
        if (token.kind == CBN_PTX_WORD && token.text[-1] != '<') {
            code->unclear |= percent == (reader->depth > 0);
            code->failed |= !ptx_table_add(&code->widths, token, bits, &entry);
        }
    }
}

static void take_directive(struct reader *reader, struct cbn_ptx_token directive)
{
    if (cbn_ptx_token_is(directive, ".reg")) {
        take_registers(reader);
    } else if (cbn_ptx_token_is(directive, ".loc")) {
        cbn_ptx_skip_line(&reader->lexer);
    } else {
        take_to_semicolon(reader);
    }
}

static void take_label(struct reader *reader, struct cbn_ptx_token name)
{
    struct ptx_code *code = &reader->code;
    const struct ptx_table_entry *entry;
    cbn_ptx_next(&reader->lexer);
    start_block(code, true);
    if (!ptx_table_add(&reader->labels, name, code->block_count - 1, &entry)) {
        code->failed = true;
        return;
    }
    code->unclear |= entry->number != code->block_count - 1; /* the same name in two scopes */
}

static void take_statement(struct reader *reader, struct cbn_ptx_token token)
{
    if (cbn_ptx_is_punctuation(token, '{')) {
        reader->depth++;
    } else if (cbn_ptx_is_punctuation(token, '}')) {
        reader->code.unclear |= reader->depth == 0;
        reader->depth -= reader->depth > 0;
    } else if (token.kind == CBN_PTX_DIRECTIVE) {
        take_directive(reader, token);
    } else if (token.kind == CBN_PTX_WORD && cbn_ptx_is_punctuation(cbn_ptx_peek(&reader->lexer), ':')) {
        take_label(reader, token);
    } else if (token.kind == CBN_PTX_WORD || cbn_ptx_is_punctuation(token, '@')) {
        take_instruction(reader, token);
    } else {
        reader->code.unclear |= !cbn_ptx_is_punctuation(token, ';');
    }
}

static void resolve_branches(struct reader *reader)
{
    for (uint32_t i = 0; i < reader->branch_count; i++) {
        const struct branch *branch = &reader->branches[i];
        const struct ptx_table_entry *entry = ptx_table_find(&reader->labels, branch->label);
        if (!entry) {
            reader->code.unclear = true;
            return;
        }
        reader->code.blocks[branch->block].successors[1] = (uint32_t)entry->number;
    }
}

struct ptx_code ptx_code_read(struct cbn_ptx_lexer body)
{
    struct reader reader = {.lexer = body};
    add_block(&reader.code);
    while (!reader.code.failed && !reader.code.unclear) {
        struct cbn_ptx_token token = cbn_ptx_next(&reader.lexer);
        if (token.kind == CBN_PTX_END) {
            break;
        }
        take_statement(&reader, token);
    }
    if (!reader.code.failed && !reader.code.unclear) {
        resolve_branches(&reader);
    }
    ptx_table_free(&reader.labels);
    free(reader.branches);
    return reader.code;
}

void ptx_code_free(struct ptx_code *code)
{
    free(code->instructions);
    free(code->blocks);
    free(code->last_definition);
    free(code->definitions);
    ptx_table_free(&code->registers);
    ptx_table_free(&code->widths);
    *code = (struct ptx_code){0};
}

uint32_t ptx_code_register(const struct ptx_code *code, struct cbn_ptx_token name)
{
    const struct ptx_table_entry *entry = ptx_table_find(&code->registers, name);
    return entry ? (uint32_t)entry->number : PTX_NONE;
}

unsigned ptx_code_register_bits(const struct ptx_code *code, struct cbn_ptx_token name)
{
    const struct ptx_table_entry *entry = ptx_table_find(&code->widths, name);
    while (!entry && name.size > 1 && name.text[name.size - 1] >= '0' && name.text[name.size - 1] <= '9') {
        name.size--;
        entry = ptx_table_find(&code->widths, name);
    }
    return entry ? (unsigned)entry->number : 0;
}

bool ptx_next_operand(struct cbn_ptx_lexer *operands, struct cbn_ptx_lexer *out_operand)
{
    *out_operand = *operands;
    int depth = 0;
    for (struct cbn_ptx_token token = cbn_ptx_next(operands);
         token.kind != CBN_PTX_END && token.kind != CBN_PTX_DAMAGED; token = cbn_ptx_next(operands)) {
        out_operand->end = operands->at;
        if (token.kind == CBN_PTX_PUNCTUATION) {
            depth += strchr("{[(", *token.text) != NULL;
            depth -= strchr("}])", *token.text) != NULL;
            if (*token.text == ',' && depth <= 0) {
                out_operand->end = token.text;
                return true;
            }
        }
        if (operands->at == operands->end) {
            return true;
        }
    }
    return out_operand->end > out_operand->at && cbn_ptx_peek(out_operand).kind != CBN_PTX_END;
}
