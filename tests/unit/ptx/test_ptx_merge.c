/* SPDX-License-Identifier: Apache-2.0 */
/* PTX of several files as one text. */
#include "ptx/cleaning/ptx_merge.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD(version) ".version " version "\n.target sm_80\n.address_size 64\n"
#define FIRST         HEAD("8.0") "// about it\n.visible .entry first() { ret; }\n"

static char *merge(const char *first, const char *second, char **out_reason)
{
    const struct ptx_piece pieces[] = {{first, strlen(first), "first.ptx"},
                                       {second, strlen(second), "second.ptx"}};
    char *text = NULL;
    size_t size = 0;
    *out_reason = NULL;
    assert_int_equal(ptx_merge(pieces, 2, &text, &size, out_reason), CUBINET_OK);
    assert_true(!text == (*out_reason != NULL));
    assert_int_equal(size, text ? strlen(text) : 0);
    return text;
}

static void expect_merged(const char *first, const char *second, const char *expected)
{
    char *reason;
    char *text = merge(first, second, &reason);
    assert_null(reason);
    assert_string_equal(text, expected);
    free(text);
}

static void expect_refused(const char *first, const char *second, const char *expected)
{
    char *reason;
    assert_null(merge(first, second, &reason));
    assert_string_equal(reason, expected);
    free(reason);
}

static void different_kernels_are_one_text(void **state)
{
    (void)state;
    expect_merged(HEAD("8.8") "// about it\n.visible .entry first() { ret; }\n",
                  HEAD("8.10") ".visible .entry second() { ret; }",
                  HEAD("8.10") "\n.visible .entry first() { ret; }\n\n.visible .entry second() { ret; }\n\n");
    expect_merged(HEAD("9.0") ".global .u32 a;\n.entry first() { ret; }",
                  HEAD("8.8") ".global .u32 b;\n.func f() { ret; }\n.entry second() { ret; }",
                  HEAD("9.0") "\n.global .u32 a;\n\n.entry first() { ret; }\n\n.global .u32 b;\n\n"
                              ".func f() { ret; }\n\n.entry second() { ret; }\n\n");
}

static void what_both_declare_alike_stands_once(void **state)
{
    (void)state;
    static const char shared[] = ".extern .shared .align 16 .b8 smem[];";
    static const char printf_[] = ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);";
    char first[400];
    char second[400];
    char expected[600];
    snprintf(first, sizeof(first), HEAD("8.0") "%s\n%s\n.entry a() { ret; }", shared, printf_);
    snprintf(second, sizeof(second), HEAD("8.0") "%s\n%s\n.entry b() { ret; }", shared, printf_);
    snprintf(expected, sizeof(expected),
             HEAD("8.0") "\n%s\n\n%s\n\n.entry a() { ret; }\n\n.entry b() { ret; }\n\n", shared, printf_);
    expect_merged(first, second, expected);
}

static void what_they_share_is_the_reason(void **state)
{
    (void)state;
    expect_refused(FIRST, FIRST, "more than one has 'first'");
    expect_refused(HEAD("8.0") ".global .u32 a = 1;", HEAD("8.0") ".global .u32 a = 1;",
                   "more than one has 'a'");
    expect_refused(HEAD("8.0") ".func a() { ret; }", HEAD("8.0") ".const .u32 a;", "more than one has 'a'");
    expect_refused(HEAD("8.0") ".extern .shared .align 16 .b8 s[];",
                   HEAD("8.0") ".extern .shared .align 8 .b8 s[];", "more than one has 's'");
    expect_refused(FIRST, ".version 8.0\n.target sm_90\n.address_size 64\n",
                   "one has `.target sm_80`, another `.target sm_90`");
}

static void what_would_have_to_be_linked_is_refused(void **state)
{
    (void)state;
    expect_refused(FIRST, HEAD("8.0") ".visible .func f() { ret; }",
                   "'second.ptx' has functions for other code to link: use `cubinet link`");
    expect_refused(FIRST, HEAD("8.0") ".weak .global .u32 a;",
                   "'second.ptx' has variables for other code to link: use `cubinet link`");
    expect_refused(FIRST, HEAD("8.0") ".global .texref t;", "'second.ptx' has textures");
    expect_refused(FIRST, HEAD("8.0") ".file 1 \"a.cu\"", "'second.ptx' has debug information");
    expect_refused(FIRST, HEAD("8.0") ".section .debug_str { .b8 0 }", "'second.ptx' has debug information");
    expect_refused(FIRST, HEAD("8.0") ".alias a, b;", "'second.ptx' has a .alias");
    expect_refused(FIRST, HEAD("8.0") ".entry second( {", "'second.ptx' can't be read as PTX");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(different_kernels_are_one_text),
        cmocka_unit_test(what_both_declare_alike_stands_once),
        cmocka_unit_test(what_they_share_is_the_reason),
        cmocka_unit_test(what_would_have_to_be_linked_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
