/* SPDX-License-Identifier: Apache-2.0 */
/* What PTX text says to a linker. */
#include "unit.h"

#include "loader/link/ptx_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_the_target_is_in_the_head(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *target;
    } cases[] = {
        {".version 9.0\n.target sm_80\n", "compute_80"},
        {"//\n// made\n/* by */\n\n.version 9.0 // and\n\t.target sm_90a, debug\n", "compute_90a"},
        {".version 8.8\r\n.target\r\nsm_100f\r\n", "compute_100f"},
        {".target sm_80", NULL},
        {".version 9.0 .address_size 64", NULL},
        {".version 9.0 .target texmode_unified", NULL},
        {".version", NULL},
        {"/* .version 9.0 .target sm_80", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        cubinet_target target = {0};
        char name[CUBINET_TARGET_NAME_SIZE];
        assert_int_equal(cbn_ptx_target(cases[i].text, &target), cases[i].target != NULL);
        if (cases[i].target) {
            assert_string_equal(cubinet_target_name(target, name), cases[i].target);
        }
    }
}

/* "+op -in weak+t": what is defined, what is needed, with spaces between. */
static const char *list(const char *text, char out[512])
{
    struct cbn_ptx_symbols symbols = cbn_ptx_symbols_in(text);
    struct cbn_ptx_symbol symbol;
    out[0] = '\0';
    while (cbn_ptx_next_symbol(&symbols, &symbol)) {
        size_t used = strlen(out);
        snprintf(out + used, 512 - used, "%s%s%c%.*s", used ? " " : "", symbol.is_weak ? "weak" : "",
                 symbol.is_defined ? '+' : '-', (int)symbol.name_size, symbol.name);
    }
    return out;
}

static void test_symbols_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *symbols;
    } cases[] = {
        {".version 9.0\n.target sm_80\n.address_size 64\n.file 1 \"a.cu\"\n", ""},
        {".visible .func (.param .b32 r) op(.param .b32 x)\n{ st.param [r], 1; ret; }", "+op"},
        {".visible .func op\n(\n.param .b64 x\n)\n;\n", ""},
        {".visible .func op();\n.visible .func op() { { ret; } }", "+op"},
        {".func helper() { ret; }", ""},
        {".weak .func (.param .b32 r) _Z1tIfET_S0_(.param .b32 x) { ret; }", "weak+_Z1tIfET_S0_"},
        {".extern .func (.param .b32 r) op (.param .b32 x);\n"
         ".visible .entry k() { call.uni (r), op, (x); ret; }",
         "-op"},
        {".extern .func op(.param .b32 x);\n.visible .entry k() { call opposite; // op\n }", ""},
        {".visible .entry k(.param .u64 p) .maxntid 256 { .shared .b8 s[4]; ret; }", ""},
        {".visible .global .align 4 .b8 table[8] = {1, 2, 3};\n.global .u32 own;", "+table"},
        {".visible .const .align 4 .f32 scale = 0f3F000000;", "+scale"},
        {".extern .global .align 4 .u32 counter;\n.visible .func f() { ld.global.u32 r, [counter]; }",
         "-counter +f"},
        {".extern .shared .align 16 .b8 memory[];\n.visible .func f() { mov.u64 r, memory; }", "+f"},
        {".common .global .u32 both;", "weak+both"},
        {".visible .global .align 8 .u64 first, second = 2;", "+first +second"},
        {".extern .func op();\n# 1 \"op\"\n.visible .func f() { ret; }", "+f"},
        {".pragma \"a } b { .visible .func no() {}\";\n.visible .func f() { ret; }", "+f"},
        {"// .visible .func no() {}\n/* .visible .func no() {} */\n.visible .func f() { // }\n ret; }\n",
         "+f"},
        {".section .debug_info { .b8 1 }\n.visible .func f() { ret; }\n.visible .func g() { ret; }", "+f +g"},
    };
    char symbols[512];
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_string_equal(list(cases[i].text, symbols), cases[i].symbols);
    }
}

/* Whatever is cut off, the reader ends, and reads nothing past the end. */
static void test_text_that_is_cut_off_is_survived(void **state)
{
    (void)state;
    static const char text[] = "/* a */ .version 9.0 .target sm_80 // b\n"
                               ".pragma \"x \\\" y\"; .extern .func (.param .b32 r) op(.param .b32 x);\n"
                               ".visible .global .align 4 .b8 t[8] = {1, {2}};\n"
                               ".visible .func (.param .b32 r) f(.param .b32 x) { { call op; } \"s\" }\n";
    char symbols[512];
    for (size_t size = 0; size < sizeof(text); size++) {
        char *cut = malloc(size + 1);
        cubinet_target target;
        assert_non_null(cut);
        memcpy(cut, text, size);
        cut[size] = '\0';
        cbn_ptx_target(cut, &target);
        list(cut, symbols);
        free(cut);
    }
    assert_string_equal(list(text, symbols), "-op +t +f");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_target_is_in_the_head),
        cmocka_unit_test(test_symbols_are_read),
        cmocka_unit_test(test_text_that_is_cut_off_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
