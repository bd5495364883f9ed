/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "ptx/addresses/ptx_code.h"
#include "ptx/addresses/ptx_offsets.h"

#include <stdlib.h>
#include <string.h>

static char *offsets_of(const char *text)
{
    struct buffer out = {0};
    ptx_append_shared_offsets(text, strlen(text), &out);
    assert_false(out.failed);
    return buffer_take(&out);
}

#define KERNEL(body)                                                                                         \
    ".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n"                                \
    "\t.reg .pred %p<4>;\n\t.reg .b32 %r<32>;\n\t.reg .b64 %rd<32>;\n\t.shared .align 4 .b8 s[4096];\n" body \
    "\tret;\n}\n"

/* Compares the lines that name a base. */
static void check(const char *text, const char *wanted_lines)
{
    char *rewritten = offsets_of(text);
    struct buffer lines = {0};
    for (char *line = strtok(rewritten, "\n"); line; line = strtok(NULL, "\n")) {
        if (strstr(line, "%shared_base")) {
            buffer_printf(&lines, "%s\n", line + strspn(line, "\t"));
        }
    }
    assert_non_null(lines.data);
    assert_string_equal(lines.data, wanted_lines);
    buffer_free(&lines);
    free(rewritten);
}

static void unchanged(const char *text)
{
    char *rewritten = offsets_of(text);
    assert_string_equal(rewritten, text);
    free(rewritten);
}

static void tells_addresses_by_the_first(void **state)
{
    (void)state;
    check(KERNEL("mov.u32 %r1, %tid.x;\n"
                 "shl.b32 %r2, %r1, 4;\n"
                 "mul.wide.s32 %rd1, %r2, 4;\n"
                 "mov.u64 %rd2, s;\n"
                 "add.s64 %rd3, %rd2, %rd1;\n"
                 "ld.shared.u32 %r3, [%rd3];\n"
                 "or.b32 %r4, %r2, 3;\n"
                 "mul.wide.s32 %rd4, %r4, 4;\n"
                 "add.s64 %rd5, %rd2, %rd4;\n"
                 "st.shared.v2.u32 [%rd5+8], {%r3, %r4};\n"),
          ".reg .b32 \t%shared_base<1>;\n"
          "cvt.u32.u64 \t%shared_base0, %rd3;\n"
          "ld.shared.u32 %r3, [%shared_base0];\n"
          "st.shared.v2.u32 [%shared_base0+20], {%r3, %r4};\n");
}

static void follows_shifts_and_masks_of_bits_that_are_zero(void **state)
{
    (void)state;
    /* (16t + 5) >> 5 is 16t >> 5, (16t + 5) & ~3 is 16t + 4. */
    check(KERNEL("mov.u32 %r1, %tid.x;\n"
                 "shl.b32 %r2, %r1, 4;\n"
                 "shr.s32 %r3, %r2, 5;\n"
                 "add.s32 %r4, %r3, %r2;\n"
                 "shl.b32 %r5, %r4, 2;\n"
                 "ld.shared.u32 %r6, [%r5];\n"
                 "add.s32 %r7, %r2, 5;\n"
                 "shr.s32 %r8, %r7, 5;\n"
                 "mad.lo.s32 %r9, %r8, 1, %r7;\n"
                 "shl.b32 %r10, %r9, 2;\n"
                 "atom.shared.add.u32 %r11, [%r10+-4], 1;\n"
                 "and.b32 %r12, %r7, -4;\n"
                 "red.shared.add.u32 [%r12], 1;\n"
                 "and.b32 %r13, %r2, -4;\n"
                 "red.shared.add.u32 [%r13], 1;\n"),
          ".reg .b32 \t%shared_base<2>;\n"
          "mov.b32 \t%shared_base0, %r5;\n"
          "ld.shared.u32 %r6, [%shared_base0];\n"
          "atom.shared.add.u32 %r11, [%shared_base0+16], 1;\n"
          "mov.b32 \t%shared_base1, %r12;\n"
          "red.shared.add.u32 [%shared_base1], 1;\n"
          "red.shared.add.u32 [%shared_base1+-4], 1;\n");
}

static void bits_that_may_be_set_stay_apart(void **state)
{
    (void)state;
    unchanged(KERNEL("mov.u32 %r1, %tid.x;\n"
                     "ld.shared.u32 %r2, [%r1];\n"
                     "or.b32 %r3, %r1, 4;\n"
                     "ld.shared.u32 %r4, [%r3];\n"
                     "add.s32 %r5, %r1, 1;\n"
                     "shr.u32 %r6, %r5, 1;\n"
                     "ld.shared.u32 %r7, [%r6];\n"
                     "shr.u32 %r8, %r1, 1;\n"
                     "ld.shared.u32 %r9, [%r8];\n"));
}

/* (8t & 120 | 128) | (u ^ 2) & 7 is 8t & 120 | u & 7 and a constant; what can have bits in common is not. */
static void joins_of_bits_that_are_apart_are_sums(void **state)
{
    (void)state;
#define SWIZZLE(first_mask)                                                                                  \
    "mov.u32 %r1, %tid.x;\n"                                                                                 \
    "shl.b32 %r2, %r1, 3;\n"                                                                                 \
    "and.b32 %r3, %r2, " first_mask ";\n"                                                                    \
    "and.b32 %r4, %r1, 7;\n"                                                                                 \
    "and.b32 %r5, %r1, 16;\n"                                                                                \
    "shr.u32 %r5, %r5, 4;\n"                                                                                 \
    "xor.b32 %r6, %r4, %r5;\n"                                                                               \
    "or.b32 %r7, %r3, %r6;\n"                                                                                \
    "or.b32 %r8, %r3, 128;\n"                                                                                \
    "or.b32 %r9, %r8, %r6;\n"                                                                                \
    "ld.shared.u32 %r10, [%r7];\n"                                                                           \
    "ld.shared.u32 %r11, [%r9];\n"
    check(KERNEL(SWIZZLE("120")), ".reg .b32 \t%shared_base<1>;\n"
                                  "mov.b32 \t%shared_base0, %r7;\n"
                                  "ld.shared.u32 %r10, [%shared_base0];\n"
                                  "ld.shared.u32 %r11, [%shared_base0+128];\n");
    unchanged(KERNEL(SWIZZLE("248")));
    /* 3 · (t & 1) has two bits; a sum may carry into the next. */
    unchanged(
        KERNEL("mov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 1;\nmul.lo.s32 %r3, %r2, 3;\nor.b32 %r4, %r3, 2;\n"
               "ld.shared.u32 %r5, [%r3];\nld.shared.u32 %r6, [%r4];\n"));
    unchanged(
        KERNEL("mov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 3;\nand.b32 %r7, %r1, 1;\nadd.s32 %r3, %r2, %r7;\n"
               "or.b32 %r4, %r3, 4;\nld.shared.u32 %r5, [%r3];\nld.shared.u32 %r6, [%r4];\n"));
}

/* %r1 is another number when the second address is computed. */
static void a_register_that_changes_is_another_number(void **state)
{
    (void)state;
    unchanged(KERNEL("mov.u32 %r1, %tid.x;\n"
                     "$loop:\n"
                     "add.s32 %r2, %r1, 4;\n"
                     "ld.shared.u32 %r3, [%r2];\n"
                     "mov.u32 %r1, %r3;\n"
                     "setp.ne.s32 %p1, %r3, 0;\n"
                     "@%p1 bra $loop;\n"
                     "add.s32 %r4, %r1, 8;\n"
                     "ld.shared.u32 %r5, [%r4];\n"));
}

static void a_base_is_computed_on_every_way(void **state)
{
    (void)state;
    unchanged(KERNEL("mov.u32 %r1, %tid.x;\n"
                     "setp.ne.s32 %p1, %r1, 0;\n"
                     "@%p1 bra $else;\n"
                     "add.s32 %r2, %r1, 4;\n"
                     "ld.shared.u32 %r3, [%r2];\n"
                     "bra $join;\n"
                     "$else:\n"
                     "add.s32 %r4, %r1, 8;\n"
                     "ld.shared.u32 %r5, [%r4];\n"
                     "$join:\n"
                     "add.s32 %r6, %r1, 12;\n"
                     "ld.shared.u32 %r7, [%r6];\n"));
    unchanged(KERNEL("mov.u32 %r1, %tid.x;\n"
                     "setp.ne.s32 %p1, %r1, 0;\n"
                     "mov.u32 %r2, 0;\n"
                     "@%p1 add.s32 %r2, %r1, 4;\n"
                     "@%p1 ld.shared.u32 %r3, [%r2];\n"
                     "add.s32 %r4, %r1, 8;\n"
                     "ld.shared.u32 %r5, [%r4];\n"));
}

static void a_base_that_dominates_serves_other_blocks(void **state)
{
    (void)state;
    check(KERNEL("mov.u32 %r1, %tid.x;\n"
                 "add.s32 %r2, %r1, 4;\n"
                 "ld.shared.u32 %r3, [%r2];\n"
                 "setp.ne.s32 %p1, %r1, 0;\n"
                 "@%p1 bra $else;\n"
                 "mov.u32 %r2, 7;\n"
                 "$else:\n"
                 "add.s32 %r6, %r1, 12;\n"
                 "ld.shared.u32 %r7, [%r6];\n"),
          ".reg .b32 \t%shared_base<1>;\n"
          "mov.b32 \t%shared_base0, %r2;\n"
          "ld.shared.u32 %r3, [%shared_base0];\n"
          "ld.shared.u32 %r7, [%shared_base0+8];\n");
}

/* What one instruction puts into two registers are two numbers. */
static void destinations_of_one_instruction_stay_apart(void **state)
{
    (void)state;
    unchanged(KERNEL("ld.global.v2.u32 {%r1, %r2}, [%rd1];\n"
                     "ld.shared.u32 %r3, [%r1];\n"
                     "ld.shared.u32 %r4, [%r2+4];\n"
                     "mov.b64 {%r7, %r8}, %rd2;\n"
                     "st.shared.u32 [%r7], %r4;\n"
                     "st.shared.u32 [%r8], %r4;\n"));
    check(KERNEL("mov.b64 {%r1, %r2}, %rd1;\n"
                 "add.s32 %r3, %r1, 4;\n"
                 "add.s32 %r4, %r2, 4;\n"
                 "ld.shared.u32 %r5, [%r3];\n"
                 "ld.shared.u32 %r6, [%r4];\n"
                 "st.shared.u32 [%r2], %r6;\n"),
          ".reg .b32 \t%shared_base<1>;\n"
          "mov.b32 \t%shared_base0, %r4;\n"
          "ld.shared.u32 %r6, [%shared_base0];\n"
          "st.shared.u32 [%shared_base0+-4], %r6;\n");
}

/* Inline assembly stands in braces, with names of its own. */
static void follows_matrix_loads_and_copies_of_inline_assembly(void **state)
{
    (void)state;
    check(KERNEL("mov.u32 %r1, %tid.x;\n"
                 "mul.wide.s32 %rd1, %r1, 16;\n"
                 "mov.u64 %rd2, s;\n"
                 "add.s64 %rd3, %rd2, %rd1;\n"
                 "cvt.u32.u64 %r2, %rd3;\n"
                 "{\n"
                 "cp.async.cg.shared.global [%r2], [%rd9], 16;\n"
                 "}\n"
                 "add.s32 %r3, %r1, 256;\n"
                 "mul.wide.s32 %rd4, %r3, 16;\n"
                 "add.s64 %rd5, %rd2, %rd4;\n"
                 "add.s64 %rd6, %rd5, 8192;\n"
                 "cvt.u32.u64 %r4, %rd6;\n"
                 "{\n"
                 ".reg .pred p;\n"
                 "setp.ne.b32 p, %r1, 0;\n"
                 "@p cp.async.ca.shared::cta.global [%r4], [%rd9], 4;\n"
                 "}\n"
                 "add.s64 %rd7, %rd5, 32;\n"
                 "cvt.u32.u64 %r5, %rd7;\n"
                 "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r6,%r7}, [%r5];\n"
                 "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r4+-16], {%r6};\n"),
          ".reg .b32 \t%shared_base<1>;\n"
          "mov.b32 \t%shared_base0, %r2;\n"
          "cp.async.cg.shared.global [%shared_base0], [%rd9], 16;\n"
          "@p cp.async.ca.shared::cta.global [%shared_base0+12288], [%rd9], 4;\n"
          "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r6,%r7}, [%shared_base0+4128];\n"
          "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%shared_base0+12272], {%r6};\n");
}

/* What braces define is another number each time, as far as this is followed. */
static void leaves_copies_that_it_does_not_follow(void **state)
{
    (void)state;
    unchanged(KERNEL("mov.u32 %r1, %tid.x;\nadd.s32 %r2, %r1, 4;\nadd.s32 %r3, %r1, 8;\n"
                     "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 16;\n"
                     "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], 16;\n"
                     "cp.async.cg.shared::cluster.global [%r2], [%rd1], 16;\n"
                     "cp.async.cg.shared::cluster.global [%r3], [%rd1], 16;\n"));
    unchanged(KERNEL("mov.u32 %r1, %tid.x;\n{\nadd.s32 %r2, %r1, 4;\n}\n{\nadd.s32 %r3, %r1, 8;\n}\n"
                     "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r2];\n"
                     "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r3];\n"));
    unchanged(KERNEL("mov.u32 %r1, %tid.x;\nadd.s32 %r2, %r1, 4;\nadd.s32 %r3, %r1, 8;\n"
                     "cp.async.ca.shared.global [%r2], [%rd1], 4;\n"
                     "{\n.reg .b32 %r3;\ncp.async.ca.shared.global [%r3], [%rd1], 4;\n}\n"));
}

#define TWO_ACCESSES                                                                                         \
    "mov.u32 %r1, %tid.x;\n"                                                                                 \
    "add.s32 %r2, %r1, 4;\n"                                                                                 \
    "ld.shared.u32 %r3, [%r2];\n"                                                                            \
    "add.s32 %r4, %r1, 8;\n"                                                                                 \
    "ld.shared.u32 %r5, [%r4];\n"

static void leaves_what_it_does_not_follow(void **state)
{
    (void)state;
    unchanged("");
    unchanged("no PTX\n");
    unchanged(KERNEL(TWO_ACCESSES "{\n.reg .b32 %r1;\n}\n"));
    unchanged(KERNEL(TWO_ACCESSES ".reg .b32 plain;\n"));
    unchanged(KERNEL(TWO_ACCESSES "bra $nowhere;\n"));
    unchanged(KERNEL(TWO_ACCESSES "$a: {\n$b:\n}\n{\n$b:\n}\n"));
    unchanged(KERNEL(TWO_ACCESSES "brx.idx %r1, $list;\n"));
    unchanged(KERNEL(TWO_ACCESSES "// %shared_base0 is taken\n"));
    unchanged(KERNEL("mov.u32 %r1, %tid.x;\nadd.s32 %r2, %r1, 4;\nadd.s32 %r3, %r1, 8;\n"
                     "ld.shared::cluster.u32 %r4, [%r2];\nld.shared::cluster.u32 %r5, [%r3];\n"
                     "ld.global.u32 %r6, [%r2];\nld.global.u32 %r7, [%r3];\n"));
    /* A special register is not the same each time it is read. */
    unchanged(KERNEL("mov.u32 %r1, %clock;\nmov.u32 %r2, %clock;\n"
                     "ld.shared.u32 %r3, [%r1];\nld.shared.u32 %r4, [%r2];\n"));
    /* What is 16 MiB away does not fit an instruction. */
    unchanged(KERNEL("mov.u32 %r1, %tid.x;\nadd.s32 %r2, %r1, 16777216;\n"
                     "ld.shared.u32 %r3, [%r1];\nld.shared.u32 %r4, [%r2];\n"));
}

static void comments_and_lines_are_no_instructions(void **state)
{
    (void)state;
    check(KERNEL("mov.u32 %r1, %tid.x; // add.s32 %r1, %r1, 1;\n"
                 "add.s32 %r2, /* ; */ %r1, 4;\n"
                 ".loc 1 2 3, function_name $L__info_string0, inlined_at 1 4 5\n"
                 "ld.shared.u32 %r3, [%r2];\n"
                 "{ // callseq 0, 0\n.reg .b32 temp_param_reg;\n.param .b32 param0;\n"
                 "call.uni (param0), f, (param0);\n}\n"
                 "add.s32 %r4, %r1, 8;\n"
                 "@!%p1 ld.shared.u32 %r5, [%r4+4];\n"),
          ".reg .b32 \t%shared_base<1>;\n"
          "mov.b32 \t%shared_base0, %r2;\n"
          "ld.shared.u32 %r3, [%shared_base0];\n"
          "@!%p1 ld.shared.u32 %r5, [%shared_base0+8];\n");
}

/* Random functions, run by a small interpreter before and after: every access is to the same address. */

enum { REGISTERS = 6, STEPS = 400, PROGRAMS = 3000 };

static uint32_t seed;

static uint32_t pick(uint32_t below)
{
    seed = seed * 1664525 + 1013904223;
    return (uint32_t)(((uint64_t)seed * below) >> 32);
}

static void append_random_instruction(struct buffer *out, uint32_t blocks)
{
    uint32_t to = pick(REGISTERS), from = pick(REGISTERS), other = pick(REGISTERS), number = pick(40);
    switch (pick(22)) {
    case 0:
        buffer_printf(out, "add.s32 %%r%u, %%r%u, %u;\n", to, from, number);
        break;
    case 1:
        buffer_printf(out, "add.s32 %%r%u, %%r%u, %%r%u;\n", to, from, other);
        break;
    case 2:
        buffer_printf(out, "sub.s32 %%r%u, %%r%u, -%u;\n", to, from, number);
        break;
    case 3:
        buffer_printf(out, "shl.b32 %%r%u, %%r%u, %u;\n", to, from, pick(6));
        break;
    case 4:
        buffer_printf(out, "shr.%c32 %%r%u, %%r%u, %u;\n", pick(2) ? 's' : 'u', to, from, pick(6));
        break;
    case 5:
        buffer_printf(out, "%s.b32 %%r%u, %%r%u, %u;\n", pick(2) ? "or" : "xor", to, from, pick(8));
        break;
    case 6:
        buffer_printf(out, "and.b32 %%r%u, %%r%u, -%u;\n", to, from, 1u << pick(6));
        break;
    case 7:
        buffer_printf(out, "mad.lo.s32 %%r%u, %%r%u, %u, %%r%u;\n", to, from, pick(8), other);
        break;
    case 8:
        buffer_printf(out, "mul.wide.s32 %%rd%u, %%r%u, %u;\n", to, from, 1u << pick(4));
        break;
    case 9:
        buffer_printf(out, "add.s64 %%rd%u, %%rd%u, %%rd%u;\n", to, from, other);
        break;
    case 10:
        buffer_printf(out, "cvt.u32.u64 %%r%u, %%rd%u;\n", to, from);
        break;
    case 11:
        buffer_printf(out, "%smov.u32 %%r%u, %%r%u;\n", pick(2) ? "@%p1 " : "", to, from);
        break;
    case 12:
        buffer_printf(out, "setp.lt.u32 %%p1, %%r%u, %%r%u;\n", from, other);
        break;
    case 13:
        buffer_printf(out, "@%%p1 bra $L%u;\n", pick(blocks));
        break;
    case 14:
        buffer_printf(out, "ld.shared.u32 %%r%u, [%%rd%u+%u];\n", to, from, number);
        break;
    case 15:
        buffer_printf(out, "mov.b64 {%%r%u, %%r%u}, %%rd%u;\n", to, (to + 1) % REGISTERS, from);
        break;
    case 16:
        buffer_printf(out, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%%r%u}, [%%r%u+%u];\n", to, from,
                      number);
        break;
    case 17:
        buffer_printf(out, "{\n.reg .b32 inner;\n%scp.async.ca.shared.global [%%r%u+%u], [%%rd%u], 4;\n}\n",
                      pick(2) ? "@%p1 " : "", from, number, other);
        break;
    case 18:
        buffer_printf(out, "and.b32 %%r%u, %%r%u, %u;\n", to, from, (1 + pick(15)) << pick(8));
        break;
    case 19:
    case 20:
        buffer_printf(out, "%s.b32 %%r%u, %%r%u, %%r%u;\n", pick(2) ? "or" : "xor", to, from, other);
        break;
    default:
        buffer_printf(out, "st.shared.u32 [%%r%u+%u], %%r%u;\n", from, number, other);
        break;
    }
}

static char *random_function(void)
{
    struct buffer out = {0};
    uint32_t blocks = 1 + pick(5);
    buffer_puts(&out, ".version 9.0\n.target sm_80\n.address_size 64\n.entry k()\n{\n.reg .pred %p<4>;\n"
                      ".reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n.shared .b8 s[4096];\n");
    for (unsigned i = 0; i < REGISTERS; i++) {
        buffer_printf(&out, "mov.u32 %%r%u, %u;\nmul.wide.u32 %%rd%u, %%r%u, 1;\n", i, pick(1000), i, i);
        buffer_printf(&out, "ld.shared.u32 %%r%u, [%%r%u];\n", i, i);
    }
    for (uint32_t block = 0; block < blocks; block++) {
        buffer_printf(&out, "$L%u:\n", block);
        for (uint32_t i = 3 + pick(14); i > 0; i--) {
            append_random_instruction(&out, blocks);
        }
    }
    buffer_puts(&out, "ret;\n}\n");
    return buffer_take(&out);
}

struct machine {
    uint64_t r[REGISTERS], rd[REGISTERS], base[256];
    bool p;
    uint32_t trace[STEPS]; /* addresses */
    uint32_t traced;
};

static uint64_t *find_register(struct machine *machine, const char *name, bool *out_wide)
{
    *out_wide = strncmp(name, "%rd", 3) == 0;
    if (strncmp(name, "%shared_base", 12) == 0) {
        uint64_t number = strtoul(name + 12, NULL, 10);
        assert_true(number < 256);
        return &machine->base[number];
    }
    return *out_wide ? &machine->rd[strtoul(name + 3, NULL, 10)] : &machine->r[strtoul(name + 2, NULL, 10)];
}

static uint64_t operand_value(struct machine *machine, struct cbn_ptx_lexer *operands)
{
    struct cbn_ptx_lexer operand;
    assert_true(ptx_next_operand(operands, &operand));
    bool wide;
    const char *at = operand.at + strspn(operand.at, " \t");
    return *at == '%' ? *find_register(machine, at, &wide) : strtoull(at, NULL, 10);
}

static uint32_t trace(struct machine *machine, const struct ptx_instruction *instruction)
{
    bool wide;
    const char *at = memchr(instruction->operands.at, '[', 64);
    uint64_t address = *find_register(machine, at + 1, &wide);
    const char *plus = strpbrk(at, "+]");
    address += *plus == '+' ? strtoull(plus + 1, NULL, 10) : 0;
    machine->trace[machine->traced++] = (uint32_t)address;
    return (uint32_t)address * 2654435761u >> 7;
}

static uint64_t compute(const char *opcode, uint64_t a, uint64_t b, uint64_t c)
{
    uint32_t low = (uint32_t)a;
    switch (*opcode) {
    case 'a':
        return strncmp(opcode, "and", 3) == 0 ? a & b : a + b;
    case 's':
        return strncmp(opcode, "sub", 3) == 0   ? a - b
               : strncmp(opcode, "shl", 3) == 0 ? a << b
               : opcode[4] == 'u'               ? low >> b
                                                : (uint64_t)((int32_t)low >> b);
    case 'o':
        return a | b;
    case 'x':
        return a ^ b;
    case 'm':
        return strncmp(opcode, "mov", 3) == 0           ? a
               : strncmp(opcode, "mul.wide.s", 10) == 0 ? (uint64_t)((int64_t)(int32_t)low * (int64_t)b)
                                                        : a * b + c;
    default:
        return a;
    }
}

/* Runs "mov.b64 {%r1, %r2}, %rd3". */
static void split(struct machine *machine, struct cbn_ptx_lexer operands)
{
    struct cbn_ptx_lexer halves;
    bool wide;
    ptx_next_operand(&operands, &halves);
    uint64_t value = operand_value(machine, &operands);
    *find_register(machine, strchr(halves.at, '%'), &wide) = (uint32_t)value;
    *find_register(machine, strchr(halves.at, ',') + 2, &wide) = value >> 32;
}

/* Runs one instruction. False for a branch that is taken. */
static bool execute(struct machine *machine, const struct ptx_instruction *instruction)
{
    const char *opcode = instruction->opcode.text;
    struct cbn_ptx_lexer operands = instruction->operands;
    if (instruction->predicated && !machine->p) {
        return true;
    }
    if (strncmp(opcode, "bra", 3) == 0) {
        return false;
    }
    if (strncmp(opcode, "setp", 4) == 0) {
        struct cbn_ptx_lexer ignored;
        ptx_next_operand(&operands, &ignored);
        uint64_t a = operand_value(machine, &operands);
        machine->p = (uint32_t)a < (uint32_t)operand_value(machine, &operands);
        return true;
    }
    if (strncmp(opcode, "st.", 3) == 0 || strncmp(opcode, "cp.", 3) == 0) {
        trace(machine, instruction);
        return true;
    }
    bool wide;
    if (strncmp(opcode, "ldmatrix", 8) == 0) {
        *find_register(machine, strchr(operands.at, '%'), &wide) = trace(machine, instruction);
        return true;
    }
    if (*cbn_ptx_peek(&operands).text == '{') {
        split(machine, operands);
        return true;
    }
    struct cbn_ptx_lexer ignored;
    uint64_t *to = find_register(machine, operands.at + strspn(operands.at, " \t"), &wide);
    ptx_next_operand(&operands, &ignored);
    uint64_t values[3] = {0};
    if (strncmp(opcode, "ld.", 3) == 0) {
        values[0] = trace(machine, instruction);
    } else {
        for (int i = 0; i < 3 && cbn_ptx_peek(&operands).kind != CBN_PTX_END; i++) {
            values[i] = operand_value(machine, &operands);
        }
    }
    uint64_t result = compute(opcode, values[0], values[1], values[2]);
    *to = wide ? result : (uint32_t)result;
    return true;
}

static void run(const char *text, struct machine *machine)
{
    const char *body = strchr(text, '{') + 1;
    struct ptx_code code = ptx_code_read((struct cbn_ptx_lexer){body, strrchr(body, '}')});
    assert_false(code.unclear || code.failed);
    uint32_t at = 0;
    uint32_t jumps = 0;
    while (at < code.instruction_count && machine->traced < STEPS && jumps < 40) {
        const struct ptx_instruction *instruction = &code.instructions[at];
        if (strncmp(instruction->opcode.text, "ret", 3) == 0) {
            break;
        }
        if (execute(machine, instruction)) {
            at++;
            continue;
        }
        uint32_t block = code.blocks[instruction->block].successors[1];
        for (at = 0; code.instructions[at].block < block; at++) {
            continue;
        }
        jumps++;
    }
    ptx_code_free(&code);
}

static void accesses_are_to_the_same_addresses(void **state)
{
    (void)state;
    unsigned rewritten_count = 0;
    for (uint32_t program = 0; program < PROGRAMS; program++) {
        seed = program;
        char *text = random_function();
        char *rewritten = offsets_of(text);
        rewritten_count += strcmp(text, rewritten) != 0;
        struct machine before = {0};
        struct machine after = {0};
        run(text, &before);
        run(rewritten, &after);
        assert_int_equal(before.traced, after.traced);
        if (memcmp(before.trace, after.trace, sizeof(before.trace)) != 0) {
            fail_msg("%s\n%s", text, rewritten);
        }
        free(text);
        free(rewritten);
    }
    assert_true(rewritten_count > PROGRAMS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_addresses_by_the_first),
        cmocka_unit_test(follows_shifts_and_masks_of_bits_that_are_zero),
        cmocka_unit_test(bits_that_may_be_set_stay_apart),
        cmocka_unit_test(joins_of_bits_that_are_apart_are_sums),
        cmocka_unit_test(a_register_that_changes_is_another_number),
        cmocka_unit_test(a_base_is_computed_on_every_way),
        cmocka_unit_test(a_base_that_dominates_serves_other_blocks),
        cmocka_unit_test(destinations_of_one_instruction_stay_apart),
        cmocka_unit_test(follows_matrix_loads_and_copies_of_inline_assembly),
        cmocka_unit_test(leaves_copies_that_it_does_not_follow),
        cmocka_unit_test(leaves_what_it_does_not_follow),
        cmocka_unit_test(comments_and_lines_are_no_instructions),
        cmocka_unit_test(accesses_are_to_the_same_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
