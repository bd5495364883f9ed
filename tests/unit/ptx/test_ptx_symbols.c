/* SPDX-License-Identifier: Apache-2.0 */
/* What relocatable PTX defines and needs, and the text that makes a compiler tell lowered names. */
#include "ptx_fixture.h"
#include "unit.h"

#include "image/contents.h"
#include "ptx/reading/ptx.h"
#include "ptx/reading/ptx_symbols.h"
#include "source/fragment_text.h"

#include <stdlib.h>
#include <string.h>

static const char ptx[] = PTX_HEAD
    ".visible .func  (.param .b32 func_retval0) epilogue(.param .b32 a);\n"
    ".func  (.param .b32 func_retval0) _ZN9_INTERNAL_8internalEi(.param .b32 a) { ret; }\n"
    ".extern .func  (.param .b32 func_retval0) vprintf(.param .b64 a, .param .b64 b);\n"
    ".extern .func  (.param .align 8 .b8 func_retval0[16]) op(.param .align 8 .b8 s[16], .param .b16 h);\n"
    ".extern .func  declared_alone(.param .b32 a);\n"
    ".visible .global .align 4 .b8 table[16];\n"
    ".visible .const .align 8 .u64 weights = generic(elsewhere)+8;\n"
    ".extern .global .align 4 .b8 elsewhere[];\n"
    ".extern .global .align 4 .u32 unused;\n"
    ".extern .shared .align 16 .b8 scratch[];\n"
    ".weak .global .align 4 .u32 member;\n"
    ".global .align 4 .u32 internal;\n"
    ".global .align 8 .u64 cubinet_export_0 = epilogue;\n"
    ".global .align 8 .u64 cubinet_export_1 = generic(table);\n"
    ".global .align 8 .u64 cubinet_export_2 = 12;\n"
    ".visible .func  (.param .b32 func_retval0) epilogue(.param .b32 a) { call op, (a); call vprintf; ret; "
    "}\n"
    ".weak .func  twice() { ret; }\n"
    ".visible .entry kernel(.param .u64 p) { call epilogue; ret; }\n";

static const struct symbol expected[] = {
    {.name = "epilogue", .type = "b32(b32)", .is_defined = true},
    {.name = "member", .type = "b8[4]", .is_defined = true, .is_weak = true, .is_variable = true},
    {.name = "table", .type = "b8[16]", .is_defined = true, .is_variable = true},
    {.name = "twice", .type = "()", .is_defined = true, .is_weak = true},
    {.name = "weights", .type = "b8[8]", .is_defined = true, .is_variable = true},
    {.name = "elsewhere", .is_variable = true},
    {.name = "op", .type = "b8[16](b8[16],b16)"},
};

static void tells_what_is_defined_and_needed(void **state)
{
    (void)state;
    struct symbol_list list = {0};
    assert_int_equal(ptx_symbols_read(ptx, sizeof(ptx), &list), CUBINET_OK);
    assert_true(list.is_recorded);
    assert_true(list.is_complete);
    assert_int_equal(list.count, COUNT(expected));
    for (size_t i = 0; i < list.count; i++) {
        assert_string_equal(list.items[i].name, expected[i].name);
        assert_string_equal(list.items[i].type ? list.items[i].type : "-",
                            expected[i].type ? expected[i].type : "-");
        assert_int_equal(list.items[i].is_defined, expected[i].is_defined);
        assert_int_equal(list.items[i].is_weak, expected[i].is_weak);
        assert_int_equal(list.items[i].is_variable, expected[i].is_variable);
    }
    assert_int_equal(symbol_list_defined(&list), 5);
    symbol_list_drop_weak_variables(&list);
    assert_int_equal(list.count, COUNT(expected) - 1);
    assert_null(symbol_list_find(&list, "member"));
    assert_non_null(symbol_list_find(&list, "op"));
    symbol_list_free(&list);
}

static void unused_weak_globals_are_dropped(void **state)
{
    (void)state;
    static const char text[] = PTX_HEAD ".weak .global .align 4 .u32 asked_for;\n"
                                        ".weak .global .align 4 .u32 member;\n"
                                        ".weak .global .align 4 .u32 used;\n"
                                        ".visible .global .align 4 .u32 visible;\n"
                                        ".visible .entry kernel() { ld.global.u32 %r1, [used]; ret; }\n";
    static const char *const keep[] = {"asked_for"};
    static const char *const left[] = {"asked_for", "used", "visible"};
    struct contents contents = {0};
    struct symbol_list symbols = {0};
    assert_int_equal(ptx_read(text, sizeof(text), &contents), CUBINET_OK);
    assert_int_equal(ptx_symbols_read(text, sizeof(text), &symbols), CUBINET_OK);
    contents_drop_unused_globals(&contents, &symbols, keep, COUNT(keep));
    assert_int_equal(contents.global_count, COUNT(left));
    for (size_t i = 0; i < COUNT(left); i++) {
        assert_string_equal(contents.globals[i].name, left[i]);
    }
    contents_free(&contents);
    symbol_list_free(&symbols);
}

static void refuses_what_is_no_ptx(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "garbage",
        PTX_HEAD ".visible .func broken(",
        PTX_HEAD ".visible .global .align 4 = 3;",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct symbol_list list = {0};
        assert_int_equal(ptx_symbols_read(texts[i], strlen(texts[i]), &list), CUBINET_ERROR_DAMAGED);
        assert_null(list.items);
    }
}

static void tells_lowered_names(void **state)
{
    (void)state;
    static const char *const lowered[] = {"epilogue", "table", NULL, NULL};
    for (size_t i = 0; i < COUNT(lowered); i++) {
        char *name = NULL;
        assert_int_equal(fragment_text_lowered(ptx, sizeof(ptx), true, i, "&my::name", &name), CUBINET_OK);
        assert_int_equal(name != NULL, lowered[i] != NULL);
        if (name) {
            assert_string_equal(name, lowered[i]);
        }
        free(name);
    }
    char *name = NULL;
    assert_int_equal(fragment_text_lowered(ptx, sizeof(ptx), false, 0, "_Z2opi", &name), CUBINET_OK);
    assert_string_equal(name, "_Z2opi");
    free(name);
}

static char *exports[] = {"plain", "my::op<float>", "_Z2opi", "& table"};
static char *imports[] = {"combine"};
static const struct cbn_text_list export_list = {.items = exports, .count = COUNT(exports)};
static const struct cbn_text_list import_list = {.items = imports, .count = COUNT(imports)};
static const struct fragment_names names = {&export_list, &import_list};

static void appends_one_line_for_each_name(void **state)
{
    (void)state;
    char *text = NULL;
    assert_int_equal(fragment_text_make("int x;", &names, false, &text), CUBINET_OK);
    assert_string_equal(text, "int x;\n#line 1 \"--export\"\n"
                              "\n"
                              "template __device__ decltype(my::op<float>) my::op<float>;\n"
                              "\n\n");
    free(text);
    assert_int_equal(fragment_text_make("int x;", &names, true, &text), CUBINET_OK);
    assert_non_null(strstr(text, "cubinet_export_0 = &plain;\n"));
    assert_non_null(strstr(text, "cubinet_export_1 = &my::op<float>;\n\n"));
    assert_non_null(strstr(text, "cubinet_export_3 = &table;\n"));
    assert_non_null(strstr(text, "#line 1 \"--import\"\nstatic __device__"));
    assert_non_null(strstr(text, "cubinet_import_0 = &combine;\n"));
    free(text);
}

static void leaves_other_sources_alone(void **state)
{
    (void)state;
    const struct cbn_text_list none = {0};
    const struct fragment_names nothing = {&none, &none};
    char *text = NULL;
    assert_int_equal(fragment_text_make("int x;", &nothing, false, &text), CUBINET_OK);
    assert_string_equal(text, "int x;");
    free(text);
}

static void finds_which_name_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *log;
        const char *expression; /* NULL: the error is about none */
        bool is_export;
    } cases[] = {
        {"a.cu(1): warning #1-D: w\n--export(2): error: undefined\n  code\n", "my::op<float>", true},
        {"--import(1): error: x\n", "combine", false},
        {"a.cu(2): error: first\n--export(2): error: undefined\n", NULL, false},
        {"--export(0): error: x\n", NULL, false},
        {"--export(5): error: x\n", NULL, false},
        {"--import(2): error: x\n", NULL, false},
        {"my--export(1): error: x\n", NULL, false},
        {"--export(1): warning: x\n", NULL, false},
        {"", NULL, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fragment_refusal refusal;
        bool found = fragment_text_refused(cases[i].log, &names, &refusal);
        assert_int_equal(found, cases[i].expression != NULL);
        if (found) {
            assert_string_equal(refusal.expression, cases[i].expression);
            assert_int_equal(refusal.is_export, cases[i].is_export);
            assert_int_equal(refusal.because[refusal.because_size], '\n');
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_what_is_defined_and_needed), cmocka_unit_test(unused_weak_globals_are_dropped),
        cmocka_unit_test(refuses_what_is_no_ptx),           cmocka_unit_test(tells_lowered_names),
        cmocka_unit_test(appends_one_line_for_each_name),   cmocka_unit_test(leaves_other_sources_alone),
        cmocka_unit_test(finds_which_name_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
