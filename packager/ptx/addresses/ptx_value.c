/* SPDX-License-Identifier: Apache-2.0 */
/* A register with several definitions is taken apart into versions, as in static single assignment form: one
 * for each definition, and one for each block where ways with different versions meet (its phi). Those blocks
 * are the iterated dominance frontier of the blocks that define it; they are found when first asked for. */
#include "ptx/addresses/ptx_value.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_TERMS = 8,  /* a longer sum is one thing that nothing more is known of */
    MOST_STEPS = 64, /* how far back through definitions to look */
    MOST_DEPTH = 2,  /* of values that others are shifted from, to look for bits in */
};

struct term {
    uint32_t atom;
    uint32_t factor; /* not 0 */
};

/* Terms in ascending order of atoms. Zero bytes beyond them, since shapes are told apart by their bytes. */
struct sum {
    uint32_t count;
    struct term terms[MOST_TERMS];
};

enum atom_kind {
    ATOM_SYMBOL,  /* first: number of the name */
    ATOM_DEFINED, /* first: the definition */
    ATOM_MET,     /* first: the register; second: the block where its versions meet */
    ATOM_SHIFTED, /* a value shifted right by `third`; fourth: 1 if it is signed */
    ATOM_MASKED,  /* a value and the mask `third` */
};

struct atom {
    uint32_t kind;
    uint32_t first, second; /* of a value: shape and constant */
    uint32_t third, fourth;
};

/* Things with numbers: each different run of bytes once. */
struct set {
    struct ptx_table table;
    unsigned char **items;
};

/* A block where versions of a register meet. */
struct meeting {
    uint32_t reg;
    uint32_t block;
};

struct ptx_values {
    const struct ptx_code *code;
    const struct ptx_flow *flow;
    struct set atoms;
    struct set shapes;
    struct ptx_table symbols;
    struct ptx_value *known; /* for each definition */
    bool *is_known;
    uint32_t *may_be_set; /* for each definition that is an atom: all bits that its value can have */
    struct set meetings;
    bool *meetings_known; /* for each register */
    uint32_t *list;       /* room for two blocks for each block */
    uint64_t steps_left;  /* of searches through definitions */
    bool failed;
};

static uint32_t set_number(struct ptx_values *values, struct set *set, const void *bytes, size_t size)
{
    const struct ptx_table_entry *entry =
        ptx_table_find(&set->table, (struct cbn_ptx_token){CBN_PTX_WORD, bytes, size});
    if (entry) {
        return (uint32_t)entry->number;
    }
    unsigned char **items = array_grow(set->items, set->table.count, sizeof(*items));
    if (!items) {
        values->failed = true;
        return 0;
    }
    set->items = items;
    unsigned char *item = malloc(size);
    if (item) {
        memcpy(item, bytes, size);
    }
    uint32_t number = (uint32_t)set->table.count;
    if (!item || !ptx_table_add(&set->table, (struct cbn_ptx_token){CBN_PTX_WORD, (char *)item, size}, number,
                                &entry)) {
        free(item);
        values->failed = true;
        return 0;
    }
    items[number] = item;
    return number;
}

static void set_free(struct set *set)
{
    for (size_t i = 0; i < set->table.count; i++) {
        free(set->items[i]);
    }
    free(set->items);
    ptx_table_free(&set->table);
}

static struct sum sum_of(struct ptx_values *values, uint32_t shape)
{
    struct sum sum = {0};
    if (!values->failed) {
        memcpy(&sum, values->shapes.items[shape], sizeof(sum));
    }
    return sum;
}

static struct ptx_value value_of_sum(struct ptx_values *values, const struct sum *sum, uint32_t constant)
{
    return (struct ptx_value){set_number(values, &values->shapes, sum, sizeof(*sum)), constant};
}

static struct ptx_value value_of_constant(struct ptx_values *values, uint32_t constant)
{
    return value_of_sum(values, &(struct sum){0}, constant);
}

static struct ptx_value value_of_atom(struct ptx_values *values, struct atom atom)
{
    uint32_t number = set_number(values, &values->atoms, &atom, sizeof(atom));
    return value_of_sum(values, &(struct sum){1, {{number, 1}}}, 0);
}

static uint32_t trailing_zeros(uint32_t number)
{
    return number ? (uint32_t)__builtin_ctz(number) : 32;
}

/* How many of the lowest bits of a sum without its constant are zero. */
static uint32_t zero_bits(struct ptx_values *values, uint32_t shape)
{
    struct sum sum = sum_of(values, shape);
    uint32_t bits = 32;
    for (uint32_t i = 0; i < sum.count; i++) {
        struct atom atom;
        memcpy(&atom, values->atoms.items[sum.terms[i].atom], sizeof(atom));
        uint32_t zeros = trailing_zeros(sum.terms[i].factor);
        zeros += atom.kind == ATOM_MASKED ? trailing_zeros(atom.third) : 0;
        bits = zeros < bits ? zeros : bits;
    }
    return bits;
}

/* All bits below bit `count`. */
static uint32_t low_bits(uint32_t count)
{
    return count >= 32 ? UINT32_MAX : ((uint32_t)1 << count) - 1;
}

static uint32_t possible_bits(struct ptx_values *values, struct ptx_value value, unsigned depth);

/* `depth` of values in atoms to look into. */
static uint32_t bits_of_atom(struct ptx_values *values, uint32_t number, unsigned depth)
{
    struct atom atom;
    memcpy(&atom, values->atoms.items[number], sizeof(atom));
    if (atom.kind == ATOM_DEFINED) {
        return values->may_be_set[atom.first];
    }
    if (atom.kind == ATOM_MASKED) {
        return atom.third;
    }
    if (atom.kind != ATOM_SHIFTED) {
        return UINT32_MAX;
    }
    struct ptx_value shifted = {atom.first, atom.second};
    uint32_t bits = depth > 0 ? possible_bits(values, shifted, depth - 1) : UINT32_MAX;
    bool is_signed = atom.fourth != 0;
    return is_signed && bits > INT32_MAX ? UINT32_MAX : bits >> atom.third;
}

/* All bits that a value can have. Of a sum these are known where its parts can't have the same bit, so that
 * nothing carries; otherwise it can have any bit. */
static uint32_t possible_bits(struct ptx_values *values, struct ptx_value value, unsigned depth)
{
    struct sum sum = sum_of(values, value.shape);
    uint32_t all = value.constant;
    for (uint32_t i = 0; i < sum.count; i++) {
        uint32_t factor = sum.terms[i].factor;
        uint64_t bits = (uint64_t)bits_of_atom(values, sum.terms[i].atom, depth) * factor;
        if ((factor & (factor - 1)) != 0 || bits > UINT32_MAX || (all & bits) != 0) {
            return UINT32_MAX;
        }
        all |= (uint32_t)bits;
    }
    return all;
}

/* Adds factor × term to a sum of the terms before it. */
static void add_term(struct sum *sum, struct term term, uint32_t factor)
{
    term.factor *= factor;
    if (term.factor != 0) {
        sum->terms[sum->count++] = term;
    }
}

/* Puts a + factor · b together. False if there are too many terms. */
static bool add_sums(const struct sum *a, const struct sum *b, uint32_t factor, struct sum *out)
{
    struct sum result = {0};
    uint32_t i = 0, j = 0;
    while (i < a->count || j < b->count) {
        if (result.count == MOST_TERMS) {
            return false;
        }
        if (j == b->count || (i < a->count && a->terms[i].atom < b->terms[j].atom)) {
            add_term(&result, a->terms[i++], 1);
        } else if (i == a->count || b->terms[j].atom < a->terms[i].atom) {
            add_term(&result, b->terms[j++], factor);
        } else {
            struct term both = {a->terms[i].atom, a->terms[i].factor + factor * b->terms[j].factor};
            add_term(&result, both, 1);
            i++;
            j++;
        }
    }
    *out = result;
    return true;
}

/* a + factor · b, as far as there is room; else what `definition` leaves, whatever that is. */
static struct ptx_value add(struct ptx_values *values, struct ptx_value a, struct ptx_value b,
                            uint32_t factor, uint32_t definition)
{
    struct sum first = sum_of(values, a.shape);
    struct sum second = sum_of(values, b.shape);
    struct sum sum;
    if (!add_sums(&first, &second, factor, &sum)) {
        return value_of_atom(values, (struct atom){ATOM_DEFINED, definition, 0, 0, 0});
    }
    return value_of_sum(values, &sum, a.constant + factor * b.constant);
}

/* A shift drops the lower bits. Those that are zero in the sum are the constant's own; nothing carries out of
 * them, so the constant may as well be without them. */
static struct ptx_value shift_right(struct ptx_values *values, struct ptx_value value, uint32_t bits,
                                    bool is_signed)
{
    uint32_t own = zero_bits(values, value.shape);
    uint32_t constant = value.constant & ~low_bits(own < bits ? own : bits);
    return value_of_atom(values, (struct atom){ATOM_SHIFTED, value.shape, constant, bits, is_signed});
}

/* What a mask drops, and what it keeps of the bits that are the constant's own. */
static struct ptx_value mask(struct ptx_values *values, struct ptx_value value, uint32_t kept)
{
    uint32_t own = low_bits(zero_bits(values, value.shape));
    uint32_t constant = value.constant & kept & own;
    struct ptx_value masked =
        value_of_atom(values, (struct atom){ATOM_MASKED, value.shape, value.constant & ~own, kept & ~own, 0});
    return (struct ptx_value){masked.shape, constant};
}

enum operation {
    OPERATION_COPY,
    OPERATION_ADD,
    OPERATION_SUBTRACT,
    OPERATION_MULTIPLY,
    OPERATION_MULTIPLY_ADD,
    OPERATION_SHIFT_LEFT,
    OPERATION_SHIFT_RIGHT,
    OPERATION_SHIFT_RIGHT_SIGNED,
    OPERATION_JOIN, /* "or" and "xor" are sums where no bit is set in both */
    OPERATION_MASK,
    OPERATION_OTHER,
};

/* Of these the lower 32 bits of the result follow from those of the operands. */
static enum operation operation_of(struct cbn_ptx_token opcode)
{
    static const struct {
        const char *opcode;
        enum operation operation;
    } table[] = {
        {"add.s32", OPERATION_ADD},
        {"add.s64", OPERATION_ADD},
        {"add.u32", OPERATION_ADD},
        {"add.u64", OPERATION_ADD},
        {"and.b32", OPERATION_MASK},
        {"and.b64", OPERATION_MASK},
        {"cvt.s32.s64", OPERATION_COPY},
        {"cvt.s64.s32", OPERATION_COPY},
        {"cvt.u32.u64", OPERATION_COPY},
        {"cvt.u64.u32", OPERATION_COPY},
        {"mad.lo.s32", OPERATION_MULTIPLY_ADD},
        {"mad.lo.s64", OPERATION_MULTIPLY_ADD},
        {"mad.lo.u32", OPERATION_MULTIPLY_ADD},
        {"mad.lo.u64", OPERATION_MULTIPLY_ADD},
        {"mad.wide.s32", OPERATION_MULTIPLY_ADD},
        {"mad.wide.u32", OPERATION_MULTIPLY_ADD},
        {"mov.b32", OPERATION_COPY},
        {"mov.b64", OPERATION_COPY},
        {"mov.s32", OPERATION_COPY},
        {"mov.s64", OPERATION_COPY},
        {"mov.u32", OPERATION_COPY},
        {"mov.u64", OPERATION_COPY},
        {"mul.lo.s32", OPERATION_MULTIPLY},
        {"mul.lo.s64", OPERATION_MULTIPLY},
        {"mul.lo.u32", OPERATION_MULTIPLY},
        {"mul.lo.u64", OPERATION_MULTIPLY},
        {"mul.wide.s32", OPERATION_MULTIPLY},
        {"mul.wide.u32", OPERATION_MULTIPLY},
        {"or.b32", OPERATION_JOIN},
        {"or.b64", OPERATION_JOIN},
        {"shl.b32", OPERATION_SHIFT_LEFT},
        {"shl.b64", OPERATION_SHIFT_LEFT},
        {"shr.s32", OPERATION_SHIFT_RIGHT_SIGNED},
        {"shr.u32", OPERATION_SHIFT_RIGHT},
        {"sub.s32", OPERATION_SUBTRACT},
        {"sub.s64", OPERATION_SUBTRACT},
        {"sub.u32", OPERATION_SUBTRACT},
        {"sub.u64", OPERATION_SUBTRACT},
        {"xor.b32", OPERATION_JOIN},
        {"xor.b64", OPERATION_JOIN},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        if (cbn_ptx_token_is(opcode, table[i].opcode)) {
            return table[i].operation;
        }
    }
    return OPERATION_OTHER;
}

/* An instruction at work: its operands' values. */
struct step {
    enum operation operation;
    uint32_t definition;
    struct ptx_value operands[3];
    uint32_t count;
};

static bool is_constant(const struct ptx_values *values, struct ptx_value value)
{
    return !values->failed &&
           ((const struct sum *)(const void *)values->shapes.items[value.shape])->count == 0;
}

static struct ptx_value unknown(struct ptx_values *values, uint32_t definition)
{
    return value_of_atom(values, (struct atom){ATOM_DEFINED, definition, 0, 0, 0});
}

static struct ptx_value multiply(struct ptx_values *values, const struct step *step, uint32_t factor,
                                 struct ptx_value value)
{
    return add(values, value_of_constant(values, 0), value, factor, step->definition);
}

/* The product of the first two operands, one of which is a constant. */
static struct ptx_value product(struct ptx_values *values, const struct step *step)
{
    struct ptx_value a = step->operands[0];
    struct ptx_value b = step->operands[1];
    return is_constant(values, b) ? multiply(values, step, b.constant, a)
                                  : multiply(values, step, a.constant, b);
}

static struct ptx_value shift(struct ptx_values *values, const struct step *step)
{
    struct ptx_value value = step->operands[0];
    uint32_t bits = step->operands[1].constant;
    if (!is_constant(values, step->operands[1]) || bits > 31) {
        return unknown(values, step->definition);
    }
    if (step->operation == OPERATION_SHIFT_LEFT) {
        return multiply(values, step, (uint32_t)1 << bits, value);
    }
    return shift_right(values, value, bits, step->operation == OPERATION_SHIFT_RIGHT_SIGNED);
}

static struct ptx_value join(struct ptx_values *values, const struct step *step)
{
    struct ptx_value value = step->operands[0];
    struct ptx_value other = step->operands[1];
    uint32_t bits = other.constant;
    if (is_constant(values, other) && (bits & ~low_bits(zero_bits(values, value.shape))) == 0 &&
        (bits & value.constant) == 0) {
        return (struct ptx_value){value.shape, value.constant + bits};
    }
    uint32_t first = possible_bits(values, value, MOST_DEPTH);
    uint32_t second = possible_bits(values, other, MOST_DEPTH);
    if ((first & second) == 0) {
        return add(values, value, other, 1, step->definition);
    }
    values->may_be_set[step->definition] = first | second;
    return unknown(values, step->definition);
}

static struct ptx_value result_of(struct ptx_values *values, const struct step *step)
{
    const struct ptx_value *operands = step->operands;
    bool factor = step->count >= 2 && (is_constant(values, operands[0]) || is_constant(values, operands[1]));
    switch (step->operation) {
    case OPERATION_COPY:
        return operands[0];
    case OPERATION_ADD:
        return add(values, operands[0], operands[1], 1, step->definition);
    case OPERATION_SUBTRACT:
        return add(values, operands[0], operands[1], UINT32_MAX, step->definition);
    case OPERATION_SHIFT_LEFT:
    case OPERATION_SHIFT_RIGHT:
    case OPERATION_SHIFT_RIGHT_SIGNED:
        return shift(values, step);
    case OPERATION_JOIN:
        return join(values, step);
    case OPERATION_MULTIPLY:
        return factor ? product(values, step) : unknown(values, step->definition);
    case OPERATION_MULTIPLY_ADD:
        return factor ? add(values, product(values, step), operands[2], 1, step->definition)
                      : unknown(values, step->definition);
    case OPERATION_MASK:
        return is_constant(values, operands[1]) ? mask(values, operands[0], operands[1].constant)
                                                : unknown(values, step->definition);
    default:
        return unknown(values, step->definition);
    }
}

static uint32_t operand_count(enum operation operation)
{
    return operation == OPERATION_COPY ? 1 : operation == OPERATION_MULTIPLY_ADD ? 3 : 2;
}

static bool meet_at(const struct ptx_values *values, uint32_t reg, uint32_t block)
{
    const struct meeting meeting = {reg, block};
    return ptx_table_find(&values->meetings.table,
                          (struct cbn_ptx_token){CBN_PTX_WORD, (const char *)&meeting, sizeof(meeting)}) !=
           NULL;
}

/* Files the blocks where versions of a register meet. */
static void find_meetings(struct ptx_values *values, uint32_t reg)
{
    const struct ptx_code *code = values->code;
    const struct ptx_flow *flow = values->flow;
    uint32_t count = 0;
    for (uint32_t row = code->last_definition[reg]; row != PTX_NONE; row = code->definitions[row].previous) {
        uint32_t block = code->instructions[code->definitions[row].instruction].block;
        if (count == 0 || values->list[count - 1] != block) {
            values->list[count++] = block;
        }
    }
    while (count > 0 && !values->failed) {
        uint32_t block = values->list[--count];
        for (uint32_t i = flow->frontier_start[block]; i < flow->frontier_start[block + 1]; i++) {
            const struct meeting meeting = {reg, flow->frontier[i]};
            if (!meet_at(values, reg, meeting.block)) {
                set_number(values, &values->meetings, &meeting, sizeof(meeting));
                values->list[count++] = meeting.block;
            }
        }
    }
    values->meetings_known[reg] = true;
}

/* Where a version of a register comes from: a definition, or the start of a block where versions meet. An
 * instruction with several destinations is several definitions. */
struct origin {
    uint32_t definition; /* PTX_NONE: */
    uint32_t block;
};

/* The last definition of a register in a block, before `end`; PTX_NONE. */
static uint32_t last_in_block(struct ptx_values *values, uint32_t reg, uint32_t block, uint32_t end)
{
    const struct ptx_code *code = values->code;
    for (uint32_t row = code->last_definition[reg]; row != PTX_NONE; row = code->definitions[row].previous) {
        uint32_t instruction = code->definitions[row].instruction;
        values->failed |= values->steps_left == 0;
        values->steps_left -= values->steps_left > 0;
        if (instruction < end && code->instructions[instruction].block == block) {
            return row;
        }
    }
    return PTX_NONE;
}

/* The version of a register that `instruction` finds: the last definition before it in its block, or else the
 * version that its block starts with. That is a meeting of versions, or what the block that dominates it ends
 * with. */
static struct origin origin_of(struct ptx_values *values, uint32_t reg, uint32_t instruction)
{
    if (!values->meetings_known[reg]) {
        find_meetings(values, reg);
    }
    uint32_t block = values->code->instructions[instruction].block;
    uint32_t end = instruction;
    while (!values->failed) {
        uint32_t definition = last_in_block(values, reg, block, end);
        uint32_t above = values->flow->dominator[block];
        if (definition != PTX_NONE || above == PTX_NONE || meet_at(values, reg, block)) {
            return (struct origin){definition, block};
        }
        block = above;
        end = PTX_NONE;
    }
    return (struct origin){PTX_NONE, block};
}

static bool is_literal(struct cbn_ptx_lexer operand, uint32_t *out_number)
{
    struct cbn_ptx_token token = cbn_ptx_next(&operand);
    bool negative = cbn_ptx_token_is(token, "-");
    if (negative) {
        token = cbn_ptx_next(&operand);
    }
    uint64_t number;
    if (!cbn_ptx_integer(token, &number) || cbn_ptx_next(&operand).kind != CBN_PTX_END) {
        return false;
    }
    *out_number = (uint32_t)(negative ? 0 - number : number);
    return true;
}

static struct ptx_value value_at(struct ptx_values *values, uint32_t definition, uint32_t steps);

static struct ptx_value value_of_register(struct ptx_values *values, uint32_t reg, uint32_t instruction,
                                          uint32_t steps)
{
    struct origin origin = origin_of(values, reg, instruction);
    if (origin.definition != PTX_NONE) {
        return value_at(values, origin.definition, steps);
    }
    return value_of_atom(values, (struct atom){ATOM_MET, reg, origin.block, 0, 0});
}

/* False for an operand of which nothing can be said: a part of a vector, a special register. */
static bool value_of_operand(struct ptx_values *values, struct cbn_ptx_lexer operand, uint32_t instruction,
                             uint32_t steps, struct ptx_value *out_value)
{
    uint32_t number;
    if (is_literal(operand, &number)) {
        *out_value = value_of_constant(values, number);
        return true;
    }
    struct cbn_ptx_token word = cbn_ptx_next(&operand);
    if (word.kind != CBN_PTX_WORD || cbn_ptx_next(&operand).kind != CBN_PTX_END) {
        return false;
    }
    if (*word.text != '%') {
        const struct ptx_table_entry *entry = NULL;
        values->failed |= !ptx_table_add(&values->symbols, word, values->symbols.count, &entry);
        *out_value =
            value_of_atom(values, (struct atom){ATOM_SYMBOL, entry ? (uint32_t)entry->number : 0, 0, 0, 0});
        return true;
    }
    uint32_t reg = ptx_code_register(values->code, word);
    if (reg != PTX_NONE) {
        *out_value = value_of_register(values, reg, instruction, steps);
    }
    return reg != PTX_NONE;
}

static struct ptx_value evaluate(struct ptx_values *values, uint32_t definition, uint32_t steps)
{
    uint32_t number = values->code->definitions[definition].instruction;
    const struct ptx_instruction *instruction = &values->code->instructions[number];
    struct step step = {operation_of(instruction->opcode), definition, {{0, 0}}, 0};
    if (instruction->predicated || instruction->nested || steps == 0 || step.operation == OPERATION_OTHER) {
        return unknown(values, definition);
    }
    struct cbn_ptx_lexer operands = instruction->operands;
    struct cbn_ptx_lexer operand;
    bool one = ptx_next_operand(&operands, &operand) && cbn_ptx_next(&operand).kind == CBN_PTX_WORD &&
               cbn_ptx_next(&operand).kind == CBN_PTX_END; /* the destination */
    while (one && step.count < operand_count(step.operation)) {
        one = ptx_next_operand(&operands, &operand) &&
              value_of_operand(values, operand, number, steps - 1, &step.operands[step.count++]);
    }
    return one && !values->failed ? result_of(values, &step) : unknown(values, definition);
}

static struct ptx_value value_at(struct ptx_values *values, uint32_t definition, uint32_t steps)
{
    if (!values->is_known[definition]) {
        values->known[definition] = evaluate(values, definition, steps);
        values->is_known[definition] = true;
    }
    return values->known[definition];
}

uint32_t ptx_value_definition(struct ptx_values *values, uint32_t reg, uint32_t instruction)
{
    return origin_of(values, reg, instruction).definition;
}

struct ptx_value ptx_value_of(struct ptx_values *values, uint32_t definition)
{
    return value_at(values, definition, MOST_STEPS);
}

struct ptx_values *ptx_values_new(const struct ptx_code *code, const struct ptx_flow *flow)
{
    struct ptx_values *values = calloc(1, sizeof(*values));
    if (!values) {
        return NULL;
    }
    values->code = code;
    values->flow = flow;
    values->steps_left = 256 * (uint64_t)code->instruction_count;
    values->known = calloc(code->definition_count + 1, sizeof(*values->known));
    values->is_known = calloc(code->definition_count + 1, sizeof(*values->is_known));
    values->may_be_set = malloc((code->definition_count + 1) * sizeof(*values->may_be_set));
    values->meetings_known = calloc(code->register_count + 1, sizeof(*values->meetings_known));
    values->list = calloc(2 * (size_t)code->block_count, sizeof(*values->list));
    if (!values->known || !values->is_known || !values->may_be_set || !values->meetings_known ||
        !values->list) {
        ptx_values_free(values);
        return NULL;
    }
    memset(values->may_be_set, 0xff, (code->definition_count + 1) * sizeof(*values->may_be_set));
    return values;
}

void ptx_values_free(struct ptx_values *values)
{
    if (!values) {
        return;
    }
    set_free(&values->atoms);
    set_free(&values->shapes);
    set_free(&values->meetings);
    ptx_table_free(&values->symbols);
    free(values->known);
    free(values->is_known);
    free(values->may_be_set);
    free(values->meetings_known);
    free(values->list);
    free(values);
}

bool ptx_values_failed(const struct ptx_values *values)
{
    return values->failed;
}
