/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/addresses/ptx_offsets.h"

#include "base/array.h"
#include "loader/link/ptx_statement.h"
#include "ptx/addresses/ptx_value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What registers that hold a base address are called; those that the function has may not look like it. */
static const char base_name[] = "%shared_base";

/* The largest distance from a base, in bytes: what an instruction's immediate offset can hold. */
static const int64_t most_distance = (1 << 23) - 1;

enum { MOST_BASES = 16 }; /* of one shape that are looked at for an access */

/* An address that others may be told by. */
struct base {
    struct cbn_ptx_token reg; /* that holds it, from its definition on */
    uint32_t definition;      /* row of the code's `definitions` */
    struct ptx_value value;
    uint32_t next;   /* base of the same shape; PTX_NONE */
    bool used;       /* by accesses that compute another address */
    uint32_t number; /* in the name of the register that it is copied to, if it is used */
};

/* An address to be told by a base, or, if it has no size, the place for the line that makes the base's copy.
 */
struct edit {
    const char *at;
    size_t size;
    uint32_t base;
    int64_t distance;
};

struct pass {
    struct ptx_code code;
    struct ptx_flow flow;
    struct ptx_values *values;
    struct base *bases;
    uint32_t base_count;
    uint32_t *first; /* base of each shape; PTX_NONE */
    uint32_t shape_count;
    struct edit *edits;
    uint32_t edit_count;
    uint32_t used_count; /* of bases */
    bool failed;
};

/* An access to shared memory through a register. */
struct access {
    struct cbn_ptx_token reg;
    int64_t offset;
    struct cbn_ptx_lexer address; /* between the brackets */
};

/* Whether an instruction's first operand in brackets is an address of shared memory. It is of those named;
 * bulk copies have others, too. */
static bool is_shared_access(struct cbn_ptx_token opcode)
{
    static const char *const names[] = {"ld.",       "st.",       "atom.",        "red.",
                                        "ldmatrix.", "stmatrix.", "cp.async.ca.", "cp.async.cg."};
    static const char segment[] = ".shared";
    bool access = false;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        size_t size = strlen(names[i]);
        access |= opcode.size > size && memcmp(opcode.text, names[i], size) == 0;
    }
    const char *found = access ? memmem(opcode.text, opcode.size, segment, sizeof(segment) - 1) : NULL;
    if (!found) {
        return false;
    }
    found += sizeof(segment) - 1;
    size_t left = (size_t)(opcode.text + opcode.size - found);
    return left > 0 && (*found == '.' || (left > 5 && memcmp(found, "::cta.", 6) == 0));
}

/* Reads "[%r1]", "[%r1+8]", "[%r1+-8]". False for anything else. */
static bool read_access(const struct ptx_instruction *instruction, struct access *out)
{
    struct cbn_ptx_lexer operands = instruction->operands;
    struct cbn_ptx_lexer operand = {0};
    do {
        if (!ptx_next_operand(&operands, &operand)) {
            return false;
        }
    } while (!cbn_ptx_token_is(cbn_ptx_peek(&operand), "["));
    cbn_ptx_next(&operand);
    out->address = operand;
    out->offset = 0;
    out->reg = cbn_ptx_next(&operand);
    struct cbn_ptx_token token = cbn_ptx_next(&operand);
    if (cbn_ptx_token_is(token, "+")) {
        bool negative = cbn_ptx_token_is(cbn_ptx_peek(&operand), "-");
        if (negative) {
            cbn_ptx_next(&operand);
        }
        uint64_t number;
        if (!cbn_ptx_integer(cbn_ptx_next(&operand), &number) || number > (uint64_t)most_distance) {
            return false;
        }
        out->offset = negative ? -(int64_t)number : (int64_t)number;
        token = cbn_ptx_next(&operand);
    }
    out->address.end = token.text;
    return out->reg.kind == CBN_PTX_WORD && *out->reg.text == '%' && cbn_ptx_token_is(token, "]");
}

static void *one_more(struct pass *pass, void *array, uint32_t count, size_t element)
{
    void *grown = array_grow(array, count, element);
    pass->failed |= !grown;
    return grown;
}

static void add_edit(struct pass *pass, struct edit edit)
{
    struct edit *edits = one_more(pass, pass->edits, pass->edit_count, sizeof(*edits));
    if (edits) {
        pass->edits = edits;
        edits[pass->edit_count++] = edit;
    }
}

/* The list of bases of a shape; NULL if memory is out. */
static uint32_t *bases_of(struct pass *pass, uint32_t shape)
{
    if (shape >= pass->shape_count) {
        uint32_t count = 2 * shape + 64;
        uint32_t *first = reallocarray(pass->first, count, sizeof(*first));
        if (!first) {
            pass->failed = true;
            return NULL;
        }
        memset(first + pass->shape_count, 0xff, (count - pass->shape_count) * sizeof(*first));
        pass->first = first;
        pass->shape_count = count;
    }
    return &pass->first[shape];
}

static void add_base(struct pass *pass, struct base base, uint32_t *first)
{
    struct base *bases = one_more(pass, pass->bases, pass->base_count, sizeof(*bases));
    if (bases) {
        pass->bases = bases;
        bases[pass->base_count] = base;
        *first = pass->base_count++;
    }
}

static const struct ptx_instruction *defining(const struct pass *pass, uint32_t definition)
{
    return &pass->code.instructions[pass->code.definitions[definition].instruction];
}

/* Whether whatever way leads to `instruction` has run the definition before. */
static bool comes_before(const struct pass *pass, uint32_t definition, uint32_t instruction)
{
    uint32_t block = defining(pass, definition)->block;
    uint32_t other = pass->code.instructions[instruction].block;
    return block == other ? pass->code.definitions[definition].instruction < instruction
                          : ptx_flow_dominates(&pass->flow, block, other);
}

/* Finds a base that the access can be told by, or its own register if that is one. The distance that is left
 * to be added; PTX_NONE if there is no such base. */
static uint32_t find_base(const struct pass *pass, uint32_t instruction, const struct access *access,
                          const struct base *own, int64_t *out_distance)
{
    uint32_t looked = 0;
    for (uint32_t i = own->next; i != PTX_NONE && looked < MOST_BASES; i = pass->bases[i].next, looked++) {
        const struct base *base = &pass->bases[i];
        *out_distance = access->offset + (int32_t)(own->value.constant - base->value.constant);
        if (base->definition == own->definition ||
            (*out_distance >= -most_distance && *out_distance <= most_distance &&
             comes_before(pass, base->definition, instruction))) {
            return i;
        }
    }
    return PTX_NONE;
}

static void tell_by_base(struct pass *pass, uint32_t base, const struct access *access, int64_t distance)
{
    add_edit(pass, (struct edit){
                       .at = access->address.at,
                       .size = (size_t)(access->address.end - access->address.at),
                       .base = base,
                       .distance = distance,
                   });
}

/* Whether the register holds what one instruction put there, on every way to the access. */
static bool is_defined_once(struct pass *pass, uint32_t number, struct cbn_ptx_token reg,
                            uint32_t *out_definition)
{
    uint32_t known = ptx_code_register(&pass->code, reg);
    uint32_t definition = known == PTX_NONE ? PTX_NONE : ptx_value_definition(pass->values, known, number);
    if (definition == PTX_NONE) {
        return false;
    }
    const struct ptx_instruction *instruction = defining(pass, definition);
    *out_definition = definition;
    return !instruction->predicated && !instruction->nested && comes_before(pass, definition, number);
}

/* An access may be in braces, as inline assembly has it: a function with a name that starts with '%' declared
 * there is unclear, so the names mean what they mean outside. */
static void look_at(struct pass *pass, uint32_t number)
{
    const struct ptx_instruction *instruction = &pass->code.instructions[number];
    struct access access;
    uint32_t definition;
    if (!is_shared_access(instruction->opcode) || !read_access(instruction, &access) ||
        ptx_code_register_bits(&pass->code, access.reg) == 0 ||
        !is_defined_once(pass, number, access.reg, &definition)) {
        return;
    }
    struct ptx_value value = ptx_value_of(pass->values, definition);
    uint32_t *first = bases_of(pass, value.shape);
    if (!first) {
        return;
    }
    struct base own = {access.reg, definition, value, *first, false, 0};
    int64_t distance = access.offset;
    uint32_t base = find_base(pass, number, &access, &own, &distance);
    if (base == PTX_NONE) {
        base = pass->base_count;
        distance = access.offset;
        add_base(pass, own, first);
    } else {
        pass->bases[base].used |= pass->bases[base].definition != definition;
    }
    tell_by_base(pass, base, &access, distance);
}

/* Gives each base that is used a register of its own, since the one that it was computed in may get other
 * values. The lower half is enough for an address of shared memory. */
static void copy_bases(struct pass *pass)
{
    for (uint32_t i = 0; i < pass->base_count; i++) {
        struct base *base = &pass->bases[i];
        if (base->used) {
            base->number = pass->used_count++;
            add_edit(pass, (struct edit){
                               .at = defining(pass, base->definition)->operands.end + 1,
                               .base = i,
                           });
        }
    }
}

static int compare_edits(const void *a, const void *b)
{
    const struct edit *first = a;
    const struct edit *second = b;
    return (first->at > second->at) - (first->at < second->at);
}

static void append_edit(const struct pass *pass, const struct edit *edit, struct buffer *out)
{
    const struct base *base = &pass->bases[edit->base];
    if (edit->size == 0) {
        bool wide = ptx_code_register_bits(&pass->code, base->reg) == 64;
        buffer_printf(out, "\n\t%s \t%s%" PRIu32 ", %.*s;", wide ? "cvt.u32.u64" : "mov.b32", base_name,
                      base->number, (int)base->reg.size, base->reg.text);
        return;
    }
    buffer_printf(out, "%s%" PRIu32, base_name, base->number);
    if (edit->distance != 0) {
        buffer_printf(out, "+%" PRId64, edit->distance);
    }
}

static void append_edited(struct pass *pass, struct cbn_ptx_lexer body, struct buffer *out)
{
    qsort(pass->edits, pass->edit_count, sizeof(*pass->edits), compare_edits);
    buffer_printf(out, "\n\t.reg .b32 \t%s<%" PRIu32 ">;", base_name, pass->used_count);
    for (uint32_t i = 0; i < pass->edit_count; i++) {
        const struct edit *edit = &pass->edits[i];
        if (pass->bases[edit->base].used) {
            buffer_append(out, body.at, (size_t)(edit->at - body.at));
            append_edit(pass, edit, out);
            body.at = edit->at + edit->size;
        }
    }
    buffer_append(out, body.at, (size_t)(body.end - body.at));
}

static void run(struct pass *pass)
{
    pass->flow = ptx_flow_of(&pass->code);
    pass->values = pass->flow.failed ? NULL : ptx_values_new(&pass->code, &pass->flow);
    pass->failed |= !pass->values;
    for (uint32_t i = 0; i < pass->code.instruction_count && !pass->failed; i++) {
        look_at(pass, i);
        pass->failed |= ptx_values_failed(pass->values);
    }
    if (!pass->failed) {
        copy_bases(pass);
    }
}

static bool contains(struct cbn_ptx_lexer text, const char *words)
{
    return memmem(text.at, (size_t)(text.end - text.at), words, strlen(words)) != NULL;
}

/* A function that is left as it is when memory runs out is as good as before: no failure to report. */
static void append_body(struct cbn_ptx_lexer body, struct buffer *out)
{
    struct pass pass = {0};
    if (contains(body, ".shared") && !contains(body, base_name)) {
        pass.code = ptx_code_read(body);
        if (!pass.code.failed && !pass.code.unclear) {
            run(&pass);
        }
    }
    if (pass.used_count > 0 && !pass.failed) {
        append_edited(&pass, body, out);
    } else {
        buffer_append(out, body.at, (size_t)(body.end - body.at));
    }
    ptx_values_free(pass.values);
    ptx_flow_free(&pass.flow);
    ptx_code_free(&pass.code);
    free(pass.bases);
    free(pass.first);
    free(pass.edits);
}

void ptx_append_shared_offsets(const char *text, size_t size, struct buffer *out)
{
    struct cbn_ptx_lexer lexer = {text, text + size};
    const char *at = text;
    for (;;) {
        struct cbn_ptx_statement statement = cbn_ptx_next_statement(&lexer);
        if (statement.kind == CBN_PTX_STATEMENT_END || statement.kind == CBN_PTX_STATEMENT_DAMAGED) {
            break;
        }
        if (statement.kind == CBN_PTX_STATEMENT_FUNCTION && statement.has_body) {
            buffer_append(out, at, (size_t)(statement.body.at - at));
            append_body(statement.body, out);
            at = statement.body.end;
        }
    }
    buffer_append(out, at, (size_t)(text + size - at));
}
