/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "toolkit/diagnostics.h"

#include <stdio.h>
#include <string.h>

static struct diagnostics read_log(const char *log, const char *already_said)
{
    static const char *const quiet[] = {"/cuda/include"};
    const struct diagnostics_options options = {.source = "k.cu",
                                                .last_line = 7,
                                                .quiet_folders = quiet,
                                                .quiet_folder_count = 1,
                                                .already_said = already_said};
    struct diagnostics diagnostics;
    assert_int_equal(diagnostics_read(log, &options, &diagnostics), CUBINET_OK);
    return diagnostics;
}

static void check(const char *log, const char *expected, size_t errors, size_t warnings)
{
    struct diagnostics diagnostics = read_log(log, NULL);
    assert_string_equal(diagnostics.text, expected);
    assert_int_equal(diagnostics.errors, errors);
    assert_int_equal(diagnostics.warnings, warnings);
    diagnostics_free(&diagnostics);
}

static void says_nothing_of_nothing(void **state)
{
    (void)state;
    check("", "", 0, 0);
    check("\n", "", 0, 0);
}

static void rewrites_heads_and_keeps_what_follows(void **state)
{
    (void)state;
    check(
        "dir/k.cu(3): error: identifier \"f\" is undefined\n  f(3);\n  ^\n\n"
        "h (1).h(12): warning #177-D: variable \"u\" was declared but never referenced\n  int u;\n      ^\n\n"
        "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n\n"
        "k.cu(1): catastrophic error: cannot open source file \"n.h\"\n\n"
        "1 error detected in the compilation of \"k.cu\".\nCompilation terminated.\n",
        "dir/k.cu:3:1: error: identifier \"f\" is undefined\n  f(3);\n  ^\n"
        "h (1).h:12:5: warning: variable \"u\" was declared but never referenced [177-D]\n  int u;\n      ^\n"
        "k.cu:1: fatal error: cannot open source file \"n.h\"\n",
        2, 1);
}

static void shows_so_many_errors(void **state)
{
    (void)state;
    static const char *const quiet[] = {"/cuda/include"};
    struct diagnostics_options options = {
        .source = "k.cu", .quiet_folders = quiet, .quiet_folder_count = 1, .error_limit = 3};
    static const char log[] = "k.cu(1): error: a\n\nk.cu(2): error: b\n  line\n\nk.cu(3): warning #1-D: w\n\n"
                              "k.cu(4): error: c\n\nk.cu(5): error: d\n  line\n\nk.cu(6): error: e\n\n"
                              "k.cu(7): catastrophic error: f\n\n";
    struct diagnostics diagnostics;
    assert_int_equal(diagnostics_read(log, &options, &diagnostics), CUBINET_OK);
    assert_string_equal(diagnostics.text,
                        "k.cu:1: error: a\nk.cu:2: error: b\n  line\nk.cu:3: warning: w [1-D]\n"
                        "k.cu:4: error: c\nk.cu:7: fatal error: f\n"
                        "k.cu: note: 2 more errors are left out; --error-limit=0 shows all\n");
    assert_int_equal(diagnostics.errors, 6);
    assert_int_equal(diagnostics.source_error_count, 6);
    diagnostics_free(&diagnostics);
    options.error_limit = 5;
    assert_int_equal(diagnostics_read(log, &options, &diagnostics), CUBINET_OK);
    assert_null(strstr(diagnostics.text, "left out"));
    diagnostics_free(&diagnostics);
}

static void shows_fewer_errors_of_quiet_folders(void **state)
{
    (void)state;
    static const char *const quiet[] = {"/cuda/include"};
    const struct diagnostics_options options = {
        .source = "k.cu", .quiet_folders = quiet, .quiet_folder_count = 1, .error_limit = 20};
    char log[512] = "";
    for (int i = 1; i <= 6; i++) {
        sprintf(log + strlen(log), "/cuda/include/h.h(%d): error: wrong\n\n", i);
    }
    strcat(log, "k.cu(9): error: mine\n\n");
    struct diagnostics diagnostics;
    assert_int_equal(diagnostics_read(log, &options, &diagnostics), CUBINET_OK);
    assert_non_null(strstr(diagnostics.text, "h.h:5: error"));
    assert_null(strstr(diagnostics.text, "h.h:6: error"));
    assert_non_null(strstr(diagnostics.text,
                           "k.cu:9: error: mine\n"
                           "k.cu: note: 1 more error is left out; --error-limit=0 shows all\n"));
    assert_int_equal(diagnostics.errors, 7);
    diagnostics_free(&diagnostics);
}

static void cuts_long_lines_around_the_caret(void **state)
{
    (void)state;
    char log[1000];
    char expected[1000];
    char before[251];
    char after[81];
    memset(before, 'a', 250);
    memset(after, 'b', 80);
    before[250] = after[80] = '\0';
    snprintf(log, sizeof(log), "k.cu(2): error: said\n  %sX%s\n  %*s^\n\n", before, after, 250, "");
    snprintf(expected, sizeof(expected), "k.cu:2:251: error: said\n  ...%.60sX%.39s...\n  %*s^\n", before,
             after, 63, "");
    struct diagnostics diagnostics = read_log(log, NULL);
    assert_string_equal(diagnostics.text, expected);
    diagnostics_free(&diagnostics);
    /* Characters of two bytes are not cut in two. */
    for (size_t i = 0; i < 250; i += 2) {
        memcpy(before + i, "\xc3\xa4", 2);
    }
    snprintf(log, sizeof(log), "k.cu(2): error: said\n  %sX%s\n  %*s^\n\n", before, after, 249, "");
    diagnostics = read_log(log, NULL);
    assert_non_null(strstr(diagnostics.text, "\n  ...\xc3\xa4"));
    diagnostics_free(&diagnostics);
    snprintf(log, sizeof(log), "k.cu(2): error: said\n\t%.20s\n  \t ^\n\n", after);
    diagnostics = read_log(log, NULL);
    assert_non_null(strstr(diagnostics.text, "k.cu:2:3: error: said\n"));
    diagnostics_free(&diagnostics);
}

static void says_once_that_annotations_are_missing(void **state)
{
    (void)state;
    static const char said[] =
        "k.cu(2): error: A function without execution space annotations (__host__/__device__/__global__) is "
        "considered a host function\n  int f() {}\n      ^\n\n"
        "k.cu(5): error: A function without execution space annotations (...)\n  int g() {}\n      ^\n\n"
        "h.h(9): error: A function without execution space annotations (...)\n  int h() {}\n      ^\n\n"
        "k.cu(6): error: A namespace scope variable without memory space annotations (...)\n  int v;\n\n"
        "k.cu(7): error: identifier \"f\" is undefined\n";
    struct diagnostics diagnostics = read_log(said, NULL);
    assert_non_null(strstr(diagnostics.text,
                           "k.cu:2:5: error: a function without __device__ or __global__ is host "
                           "code"));
    assert_non_null(strstr(diagnostics.text, "--default-device"));
    assert_null(strstr(diagnostics.text, "int g()"));
    assert_non_null(strstr(diagnostics.text, "k.cu:6: error: a variable without __device__ or __constant__"));
    assert_non_null(
        strstr(diagnostics.text, "k.cu: note: 2 other functions without annotation: k.cu:5, h.h:9\n"));
    assert_non_null(strstr(diagnostics.text, "k.cu:7: error: identifier \"f\" is undefined\n"));
    assert_int_equal(diagnostics.errors, 3);
    static const size_t lines[] = {2, 5, 6, 7};
    assert_int_equal(diagnostics.source_error_count, 4);
    assert_memory_equal(diagnostics.source_errors, lines, sizeof(lines));
    diagnostics_free(&diagnostics);
}

static void says_where_the_source_ends(void **state)
{
    (void)state;
    check("k.cu(2): error: no\nAt end of source: error: expected a \";\"\n\nAt end of source: warning #12-D: "
          "odd\n",
          "k.cu:2: error: no\nk.cu:7: error: expected a \";\"\nk.cu:7: warning: odd [12-D]\n", 2, 1);
}

static void keeps_the_context_of_templates_and_notes(void **state)
{
    (void)state;
    check("k.cu(2): error: not a class\n  T::x y;\n     ^\n          detected during instantiation of class "
          "\"S<T>\" at line 3\n\n",
          "k.cu:2:4: error: not a class\n  T::x y;\n     ^\n          detected during instantiation of class "
          "\"S<T>\" at line 3\n",
          1, 0);
    check("k.cu(2): error: no\nk.cu(1): note #2689-D: declared here\n  int x;\n\n",
          "k.cu:2: error: no\nk.cu:1: note: declared here [2689-D]\n  int x;\n", 1, 0);
}

static void leaves_out_warnings_about_quiet_folders(void **state)
{
    (void)state;
    check("/cuda/include/a.h(1): warning #1-D: w\n  line\n  ^\nk.cu(1): note #2-D: n\n\nk.cu(2): warning "
          "#1-D: w\n",
          "k.cu:2: warning: w [1-D]\n", 0, 1);
    check("/cuda/include/a.h(1): error: e\n", "/cuda/include/a.h:1: error: e\n", 1, 0);
    check("/cuda/includes/a.h(1): warning #1-D: w\n", "/cuda/includes/a.h:1: warning: w [1-D]\n", 0, 1);
}

static void says_nothing_twice(void **state)
{
    (void)state;
    struct diagnostics diagnostics =
        read_log("k.cu(2): warning #1-D: w\n  line\n\nk.cu(3): warning #1-D: w\n",
                 "k.cu:2: warning: w [1-D]\n  line\n");
    assert_string_equal(diagnostics.text, "k.cu:3: warning: w [1-D]\n");
    assert_int_equal(diagnostics.warnings, 1);
    diagnostics_free(&diagnostics);
}

static void tells_refused_options_and_expressions_apart(void **state)
{
    (void)state;
    struct diagnostics diagnostics = read_log("nvrtc: error: unrecognized option -x found\n", NULL);
    assert_string_equal(diagnostics.text, "");
    assert_string_equal(diagnostics.refused_option, "unrecognized option -x found");
    diagnostics_free(&diagnostics);

    diagnostics =
        read_log("__nv_name_map(2): error: identifier \"kk\" is undefined. Input name expression was: \" "
                 "kk\"\n  #pragma nv_mangled_name kk<int>\n"
                 "                          ^\n\n__nv_name_map(2): error: expected an expression\n"
                 "  #pragma nv_mangled_name kk<int>\n\n4 errors detected in the compilation of \"k.cu\".\n",
                 NULL);
    assert_string_equal(diagnostics.text, "");
    assert_int_equal(diagnostics.errors, 0);
    assert_string_equal(diagnostics.refused_expression, "kk<int>");
    assert_string_equal(diagnostics.refused_because, "identifier \"kk\" is undefined");
    diagnostics_free(&diagnostics);
}

/* NVRTC 12.0 shows no lines, and puts white space between the words of an expression. */
static void finds_the_expression_in_the_message(void **state)
{
    (void)state;
    struct diagnostics diagnostics = read_log(
        "__nv_name_map(3): error: identifier \"kk\" is undefined\n\n"
        "__nv_name_map(3): error: Error in parsing name expression for lowered name lookup. Input name "
        "expression was: \" & kk\"\n\n2 errors detected in the compilation of \"k.cu\".\n",
        NULL);
    assert_string_equal(diagnostics.text, "");
    assert_string_equal(diagnostics.refused_expression, "& kk");
    assert_string_equal(diagnostics.refused_because, "identifier \"kk\" is undefined");
    diagnostics_free(&diagnostics);
}

static void names_the_source_where_no_file_is_named(void **state)
{
    (void)state;
    check("Command-line error: invalid macro definition: 1x=3\n",
          "k.cu: error: invalid macro definition: 1x=3\n", 1, 0);
}

static void takes_warnings_about_the_whole(void **state)
{
    (void)state;
    check("nvrtc: warning: sm_60 is old\n\n", "k.cu: warning: sm_60 is old\n", 0, 1);
}

static void passes_on_what_it_does_not_know(void **state)
{
    (void)state;
    check("llc: Unknown command line argument\n  k(1) f(2): x\n",
          "llc: Unknown command line argument\n  k(1) f(2): x\n", 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_nothing_of_nothing),
        cmocka_unit_test(rewrites_heads_and_keeps_what_follows),
        cmocka_unit_test(shows_so_many_errors),
        cmocka_unit_test(shows_fewer_errors_of_quiet_folders),
        cmocka_unit_test(cuts_long_lines_around_the_caret),
        cmocka_unit_test(says_once_that_annotations_are_missing),
        cmocka_unit_test(says_where_the_source_ends),
        cmocka_unit_test(keeps_the_context_of_templates_and_notes),
        cmocka_unit_test(leaves_out_warnings_about_quiet_folders),
        cmocka_unit_test(says_nothing_twice),
        cmocka_unit_test(tells_refused_options_and_expressions_apart),
        cmocka_unit_test(finds_the_expression_in_the_message),
        cmocka_unit_test(names_the_source_where_no_file_is_named),
        cmocka_unit_test(takes_warnings_about_the_whole),
        cmocka_unit_test(passes_on_what_it_does_not_know),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
