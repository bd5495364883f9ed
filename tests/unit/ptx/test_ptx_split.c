/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "allocations.h"
#include "base/buffer.h"
#include "ptx/reading/ptx.h"
#include "ptx/splitting/ptx_split.h"
#include "ptx_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ptx_parts split(const char *text)
{
    struct ptx_parts parts = {0};
    assert_int_equal(ptx_split(text, strlen(text), &parts), CUBINET_OK);
    assert_int_equal(parts.count > 1, parts.reason == NULL);
    return parts;
}

/* "a b | c": the kernels of each part; or why there are none. */
static char *describe(const struct ptx_parts *parts)
{
    struct buffer out = {0};
    buffer_puts(&out, parts->reason ? parts->reason : "");
    for (size_t i = 0; i < parts->count; i++) {
        struct contents contents;
        assert_int_equal(ptx_read(parts->items[i].text, parts->items[i].size, &contents), CUBINET_OK);
        buffer_puts(&out, i > 0 ? " |" : "");
        for (size_t j = 0; j < contents.kernel_count; j++) {
            buffer_printf(&out, "%s%s", i + j > 0 ? " " : "", contents.kernels[j].name);
        }
        contents_free(&contents);
    }
    return buffer_take(&out);
}

static void check(const char *text, const char *wanted)
{
    struct ptx_parts parts = split(text);
    char *found = describe(&parts);
    assert_string_equal(found, wanted);
    free(found);
    ptx_parts_free(&parts);
}

#define KERNEL(name, body) ".visible .entry " name "() {\n" body "\n ret; }\n"

static void kernels_that_share_nothing_are_apart(void **state)
{
    (void)state;
    check(PTX_HEAD KERNEL("b", "") KERNEL("a", "") KERNEL("aa", ""), "a | aa | b");
    check(PTX_HEAD KERNEL("a", ""), "its kernels belong together");
    check(PTX_HEAD, "its kernels belong together");
    check("", "its kernels belong together");
}

static void finds_what_keeps_kernels_together(void **state)
{
    (void)state;
#define USE(name)        "mov.u64 %rd1, " name ";"
#define CALL(name)       "call.uni (r), " name ", (p);"
#define FUNC(name, body) ".func (.param .b32 r) " name "(.param .b32 p)\n{\n" body "\nret;\n}\n"
#define STRING           ".global .align 1 .b8 $str[2] = {65};\n"
    static const struct {
        const char *text, *wanted;
    } cases[] = {
        /* Variables that the host can name. */
        {".global .u32 x;\n" KERNEL("a", USE("x")) KERNEL("b", USE("x")) KERNEL("c", ""), "a b | c"},
        {".const .u32 x = 1;\n" KERNEL("a", "ld.const.u32 %r1, [x];") KERNEL("b", USE("x")) KERNEL("c", ""),
         "a b | c"},
        {".global .u32 x, y;\n" KERNEL("a", USE("x")) KERNEL("b", USE("y")) KERNEL("c", ""), "a b | c"},
        {".visible .global .u32 x;\n" KERNEL("b", "") KERNEL("a", "") KERNEL("c", USE("x")), "a | b | c"},
        {".common .global .u32 x;\n" KERNEL("a", USE("x")) KERNEL("b", USE("x")) KERNEL("c", ""), "a b | c"},
        {".weak .global .u32 x;\n" KERNEL("a", USE("x")) KERNEL("b", USE("x")) KERNEL("c", ""), "a b | c"},
        {".global .attribute(.managed) .u32 $m = 1;\n" KERNEL("a", USE("$m")) KERNEL("b", USE("$m"))
             KERNEL("c", ""),
         "a b | c"},
        /* Through functions, and through initial values. */
        {".global .u32 x;\n" FUNC("f", USE("x")) FUNC("g", CALL("f")) KERNEL("a", CALL("g"))
             KERNEL("b", USE("x")) KERNEL("c", ""),
         "a b | c"},
        {".global .u32 x;\n.global .u64 y = generic(x)+8;\n.global .u64 $z[2] = {0, y};\n" KERNEL(
             "a", USE("$z")) KERNEL("b", USE("x")) KERNEL("c", ""),
         "a b | c"},
        {".global .u32 x;\n.global .u64 y = generic(x);\n" KERNEL("a", USE("y")) KERNEL("b", USE("x"))
             KERNEL("c", ""),
         "a b | c"},
        /* Literals. */
        {STRING KERNEL("a", USE("$str")) KERNEL("b", USE("$str")), "a | b"},
        {STRING KERNEL("a", "cvta.global.u64 %rd2, $str; st.param.b64 [p+0], %rd2;\n"
                            "{ // callseq 3, 0\n call.uni (r), f, (p); }") KERNEL("b", USE("$str"))
             FUNC("f", ""),
         "a | b"},
        {".global .u32 $x;\n" KERNEL("a", USE("$x")) KERNEL("b", USE("$x")) KERNEL("c", ""), "a b | c"},
        {STRING KERNEL("a", "st.global.u8 [$str], 1;") KERNEL("b", USE("$str")) KERNEL("c", ""), "a b | c"},
        {STRING KERNEL("a", "atom.global.add.u32 %r1, [$str+4], 1;") KERNEL("b", USE("$str")) KERNEL("c", ""),
         "a b | c"},
        {STRING KERNEL("a", "L: @!%p1 add.s64 %rd3, %rd2, 4;\n@%p2 st.u32 [%rd3], %r1;\n"
                            "cvta.global.u64 %rd2, %rd1;\nmov.u64 %rd1, $str;\nbra L;")
             KERNEL("b", USE("$str")) KERNEL("c", ""),
         "a b | c"},
        {STRING KERNEL("a", "mov.u64 %rd1, $str;\nst.global.u64 [%rd7], %rd1;") KERNEL("b", USE("$str"))
             KERNEL("c", ""),
         "a b | c"},
        {STRING KERNEL("a", "mov.b64 {%r1, %r2}, $str;\nmov.b64 %rd5, {%r1, %r2};\nred.add.u32 [%rd5], 1;")
             KERNEL("b", USE("$str")) KERNEL("c", ""),
         "a b | c"},
        {STRING KERNEL("a", "mov.u64 %rd1, $str;\nld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd7], %r1;\n"
                            "st.local.u64 [%rd8], %rd1;") KERNEL("b", USE("$str")) KERNEL("c", ""),
         "a | b | c"},
        /* Addresses of functions. */
        {FUNC("f", "") KERNEL("a", CALL("f")) KERNEL("b", CALL("f")), "a | b"},
        {FUNC("f", "") KERNEL("a", USE("f")) KERNEL("b", CALL("f")) KERNEL("c", USE("f")), "a c | b"},
        {FUNC("f", "") FUNC("g", "") KERNEL("a", USE("f")) KERNEL("b", CALL("f")) KERNEL("c", USE("g")),
         "a c | b"},
        {FUNC("f", "") KERNEL("a", USE("f"))
             KERNEL("b", "proto : .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                         "call (r), %rd4, (p), proto;") KERNEL("c", ""),
         "a b | c"},
        {FUNC("f", "") KERNEL("a", "targets: .calltargets f;\ncall (r), %rd4, (p), targets;")
             KERNEL("b", "call %rd4, proto2;") KERNEL("c", ""),
         "a b | c"},
        {FUNC("f", "") ".global .u64 _ZTV1a[3] = {0, 0, f};\n" KERNEL("a", USE("_ZTV1a"))
             KERNEL("b", CALL("f")) KERNEL("c", USE("_ZTV1a")),
         "a c | b"},
        {FUNC("f", "") ".global .u64 table[1] = {f};\n" KERNEL("a", "") KERNEL("b", "call (r), %rd4, (p), p;")
             KERNEL("c", USE("table")),
         "a | b c"},
        {"t: .branchtargets L1;\n", "it is not PTX throughout"},
        {KERNEL("a", "t: .branchtargets L1;\nbrx.idx %r1, t;\nL1:") KERNEL("b", ""), "a | b"},
        /* Kernels that know of kernels. */
        {KERNEL("a", USE("b")) KERNEL("b", "") KERNEL("c", ""), "a b | c"},
        {".visible .entry b();\n" KERNEL("a", USE("b")) KERNEL("b", "") KERNEL("c", ""), "a b | c"},
        /* What lies in a block's or thread's own memory. */
        {".extern .shared .align 16 .b8 s[];\n.shared .u32 t;\n" KERNEL("a", USE("s") USE("t"))
             KERNEL("b", USE("s") USE("t")),
         "a | b"},
        /* State inside of a function. */
        {FUNC("f", ".global .u32 n;\nst.global.u32 [n], 1;") KERNEL("a", CALL("f")) KERNEL("b", CALL("f"))
             KERNEL("c", ""),
         "a b | c"},
        {FUNC("f", "// n\n.const .u32 n = 1;") KERNEL("a", CALL("f")) KERNEL("b", CALL("f")) KERNEL("c", ""),
         "a b | c"},
        {FUNC("f", ".param .u64 .ptr .global .align 4 q;\nld.global.u32 %r1, [%rd1];") KERNEL("a", CALL("f"))
             KERNEL("b", CALL("f")),
         "a | b"},
        /* Names that are something else where they are used: rather together than wrong. */
        {".global .u32 x;\n" KERNEL("a", ".reg .u32 x;") KERNEL("b", "x: bra x;") KERNEL("c", ""), "a b | c"},
        {FUNC("call", "") KERNEL("a", "call.uni (r), call, (p);") KERNEL("b", ""), "a | b"},
        /* What is not split. */
        {".extern .global .u32 x;\n" KERNEL("a", "") KERNEL("b", ""), "another module defines a variable"},
        {".extern .func f;\n" KERNEL("a", "") KERNEL("b", ""), "another module defines a function: f"},
        {".visible .func f { ret; }\n" KERNEL("a", "") KERNEL("b", ""),
         "other modules may call a function: f"},
        {".alias f, g;\n" KERNEL("a", "") KERNEL("b", ""), "a statement is not understood: .alias"},
        {".global .texref t;\n" KERNEL("a", "") KERNEL("b", ""),
         "there is a texture, sampler or surface reference: t"},
        {".global .samplerref t;\n", "there is a texture, sampler or surface reference: t"},
        {".global .surfref t;\n", "there is a texture, sampler or surface reference: t"},
        {".tex .u64 t;\n", "there is a texture reference: .tex"},
        {".global .u32 x<4>;\n", "one declaration has many names: x"},
        {".section .debug_info { .b8 1 }\n", "there is debug information: .section"},
        {".global .u32 x; }", "it is not PTX throughout"},
        {".global .u32 x;\n" KERNEL("a", USE("x")) KERNEL("b", USE("x")),
         "its kernels belong together, as with the variable: x"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *text = NULL;
        assert_true(asprintf(&text, PTX_HEAD "%s", cases[i].text) > 0);
        check(text, cases[i].wanted);
        free(text);
    }
}

static void system_calls_are_declared_where_they_are_called(void **state)
{
    (void)state;
    struct ptx_parts parts = split(
        PTX_HEAD ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
                 ".func (.param .b32 r) f (.param .b32 p);\n" KERNEL("a", "call.uni (r), vprintf, (p, p);")
                     KERNEL("b", "call.uni (r), f, (p);") FUNC("f", "call.uni (r), g, (p);") FUNC("g", "")
                         FUNC("nobodys", ""));
    assert_int_equal(parts.count, 2);
    assert_string_equal(parts.items[0].text, PTX_HEAD
                        ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n" KERNEL(
                            "a", "call.uni (r), vprintf, (p, p);"));
    assert_string_equal(parts.items[1].text, PTX_HEAD
                        ".func (.param .b32 r) f (.param .b32 p);\n" KERNEL("b", "call.uni (r), f, (p);")
                            FUNC("f", "call.uni (r), g, (p);") FUNC("g", ""));
    ptx_parts_free(&parts);
}

/* A variable that no kernel uses goes with what it points to, or to the first part. */
static void every_global_is_in_one_part(void **state)
{
    (void)state;
    struct ptx_parts parts =
        split(PTX_HEAD ".global .u32 unused;\n.global .u32 x;\n.global .u64 pointer = generic(x);\n"
                       ".global .u32 y;\n" KERNEL("b", USE("x")) KERNEL("a", USE("y")));
    assert_int_equal(parts.count, 2);
    assert_string_equal(parts.items[0].text,
                        PTX_HEAD ".global .u32 unused;\n.global .u32 y;\n" KERNEL("a", USE("y")));
    assert_string_equal(parts.items[1].text, PTX_HEAD
                        ".global .u32 x;\n.global .u64 pointer = generic(x);\n" KERNEL("b", USE("x")));
    ptx_parts_free(&parts);
}

static void line_numbers_come_with_their_files_and_strings(void **state)
{
    (void)state;
    struct ptx_parts parts = split(
        PTX_HEAD KERNEL("a", ".loc 1 2 3")
            KERNEL("b", ".loc 2 2 34, function_name $L__info_string1, inlined_at 3 4 17") KERNEL(
                "c",
                "") "\t.file\t1 \"one\"\n\t.file 2 \"two\"\n.file 3 \"three\"\n"
                    ".section .debug_str\n{\n$L__info_string0:\n.b8 65,0\n$L__info_string1:\n.b8 66,0\n}\n");
    assert_int_equal(parts.count, 3);
    assert_string_equal(parts.items[0].text, PTX_HEAD KERNEL("a", ".loc 1 2 3") ".file\t1 \"one\"\n");
    assert_non_null(
        strstr(parts.items[1].text, ".file 2 \"two\"\n.file 3 \"three\"\n.section .debug_str\n{\n"));
    assert_non_null(strstr(parts.items[1].text, "$L__info_string1:\n.b8 66,0\n\n}\n"));
    assert_null(strstr(parts.items[1].text, "string0"));
    assert_null(strstr(parts.items[1].text, "one"));
    assert_string_equal(parts.items[2].text, PTX_HEAD KERNEL("c", ""));
    ptx_parts_free(&parts);
}

/* The text of a part does not depend on what the compiler met before it. */
static void numbers_are_those_of_the_part(void **state)
{
    (void)state;
#define NUMBERED(block, depot, table, call, string, function)                                                \
    ".visible .entry z() {\n.local .b8 __local_depot" depot "[8];\n$L__BB" block "_1:\n$L_brx_" table        \
    ": .branchtargets $L__BB" block "_2;\n{ // callseq" call "\ncall (r), %rd1, (p), prototype_" depot       \
    ";\n} // callseq" call "\nmov.u64 %rd1, $str" string ";\nmov.u64 %rd2, " function ";\n$L__BB" block      \
    "_2: ret; }\n"
    struct ptx_parts parts =
        split(PTX_HEAD ".global .b8 $str[1] = {65};\n.global .b8 $str$7[1] = {66};\n"
                       ".global .b8 __unnamed_3[1] = {67};\n// comment\n" KERNEL("a", "$L__BB0_1:")
                           NUMBERED("12", "5", "2", " 3, 0", "$7", "__unnamed_3"));
    assert_int_equal(parts.count, 2);
    assert_string_equal(parts.items[1].text, PTX_HEAD
                        ".global .b8 $str$0[1] = {66};\n.global .b8 $unnamed$0[1] = {67};\n" NUMBERED(
                            "0", "0", "0", "", "$0", "$unnamed$0"));
    struct contents contents;
    assert_int_equal(ptx_read(parts.items[1].text, parts.items[1].size, &contents), CUBINET_OK);
    assert_int_equal(contents.global_count, 0);
    contents_free(&contents);
    ptx_parts_free(&parts);
}

static void splits_what_nvrtc_writes(void **state)
{
    (void)state;
    static const char text[] = PTX_FIXTURE;
    struct ptx_parts parts = {0};
    assert_int_equal(ptx_split(text, sizeof(text), &parts), CUBINET_OK); /* with the NUL */
    assert_string_equal(parts.reason, "another module defines a variable");
    ptx_parts_free(&parts);
}

static void reports_memory(void **state)
{
    (void)state;
    static const char text[] =
        PTX_HEAD ".global .u32 x;\n" STRING KERNEL("a", USE("x") USE("$str")) KERNEL("b", USE("$str"));
    cubinet_status status = CUBINET_ERROR_OUT_OF_MEMORY;
    unsigned int failing = 0;
    while (status) {
        struct ptx_parts parts = {0};
        allocations_watch(++failing);
        status = ptx_split(text, strlen(text), &parts);
        bool has_failed = allocations_stop() >= failing;
        assert_int_equal(status, has_failed ? CUBINET_ERROR_OUT_OF_MEMORY : CUBINET_OK);
        ptx_parts_free(&parts);
    }
    assert_true(failing > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_that_share_nothing_are_apart),
        cmocka_unit_test(finds_what_keeps_kernels_together),
        cmocka_unit_test(system_calls_are_declared_where_they_are_called),
        cmocka_unit_test(every_global_is_in_one_part),
        cmocka_unit_test(line_numbers_come_with_their_files_and_strings),
        cmocka_unit_test(numbers_are_those_of_the_part),
        cmocka_unit_test(splits_what_nvrtc_writes),
        cmocka_unit_test(reports_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
