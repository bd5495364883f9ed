/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens, macros, conditions and headers. What is expected is what `gcc -E` gives. */
#include "cxx/cxx_unit.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct cbn_text_list none;
static struct cbn_text_list headers;
static char folder[] = "/tmp/cubinet-cxx-XXXXXX";

static void read_text(const char *text, struct cxx_unit *out_unit)
{
    static char *defined[] = {"__cplusplus=201703L", "GIVEN", "DEV=__device__", "BOTH=1", "BOTH=2"};
    static char *taken[] = {"TAKEN"};
    const struct cbn_text_list macros = {.items = defined, .count = 5};
    const struct cbn_text_list removed = {.items = taken, .count = 1};
    const struct cxx_settings settings = {"a.cu",  text,     &headers, &none, &none,
                                          &macros, &removed, NULL,     NULL};
    assert_int_equal(cxx_unit_read(&settings, out_unit), CUBINET_OK);
}

/* The tokens with one space between them. */
static void assert_tokens(const struct cxx_unit *unit, const char *expected)
{
    char made[4096] = "";
    for (size_t i = 0; i + 1 < unit->tokens.count; i++) {
        snprintf(made + strlen(made), sizeof(made) - strlen(made), "%s%.*s", i ? " " : "",
                 (int)unit->tokens.items[i].size, unit->tokens.items[i].text);
    }
    assert_string_equal(made, expected);
}

static void assert_expands(const char *text, const char *expected)
{
    struct cxx_unit unit;
    read_text(text, &unit);
    assert_tokens(&unit, expected);
    cxx_unit_free(&unit);
}

static void expands_macros(void **state)
{
    (void)state;
    assert_expands("#define A B\n#define B 3\nA B", "3 3");
    assert_expands("#define A A x\nA", "A x");
    assert_expands("#define F(x, y) x + y\nF(1, (2, 3)) F", "1 + ( 2 , 3 ) F");
    assert_expands("#define F(x) [x]\n#define G F\nG(4) G (5) F\n(6)", "[ 4 ] [ 5 ] [ 6 ]");
    assert_expands("#define F() y\nF() F( )", "y y");
    assert_expands("#define S(x) #x\nS(a b) S(\"q\")", "\"ab\" \"'q'\"");
    assert_expands("#define C(a, b) a##b\n#define AB 7\nC(A, B) C(x, 1) C(, z)", "7 x1 z");
    assert_expands("#define C(a, b) a %:%: b\nint C(ma, in)()", "int main ( )");
    assert_expands("#define V(f, ...) f(__VA_ARGS__)\nV(g) V(g, 1, 2)", "g ( ) g ( 1 , 2 )");
    assert_expands("#define V(f, ...) f(0, ##__VA_ARGS__)\nV(g) V(g, 1)", "g ( 0 ) g ( 0 , 1 )");
    assert_expands("#define V(f, r...) f(r)\nV(g, 1, 2)", "g ( 1 , 2 )");
    assert_expands("#define V(f, ...) f(0 __VA_OPT__(,) __VA_ARGS__)\nV(g) V(g, 1)", "g ( 0 ) g ( 0 , 1 )");
    assert_expands("#define LP (\n#define F(x) <x>\nF LP 1) F(F(2))", "F ( 1 ) < < 2 > >");
    assert_expands("#define A 1\n#undef A\nA", "A");
    assert_expands("#define N(x) x##__LINE__\n\n__LINE__ N(a)", "3 a__LINE__");
    assert_expands("__LINE__\n#line 70\n__LINE__\n# 8 \"b.h\" 1\n\n__LINE__\n#line A\n__LINE__", "1 70 9 11");
    assert_expands("__COUNTER__ __COUNTER__", "0 1");
    assert_expands("DEV BOTH TAKEN", "__device__ 2 TAKEN");
    assert_expands("#define F(x) x\nF(1", "");
    assert_expands("#define M(x) \\\n  int x##1; \\\n  int x##2;\nM(a)", "int a1 ; int a2 ;");
}

static void reads_tokens(void **state)
{
    (void)state;
    assert_expands("a/**/b // c \\\n d\ne", "a b e");
    assert_expands("R\"(a\n\"{)\" R\"x()\")x\" u8\"\\\"\" L'\\''",
                   "R\"(a\n\"{)\" R\"x()\")x\" u8\"\\\"\" L'\\''");
    assert_expands("1'000 0x1p+3 1.e-5f .5 a...b x->y A::B", "1'000 0x1p+3 1.e-5f .5 a ... b x -> y A :: B");
    assert_expands("k<<<1, 2>>>(x) v<::T> <: :> <% %>", "k < < < 1 , 2 > > > ( x ) v < :: T > <: :> <% %>");
    assert_expands("ma\\\nin sp\\\nli\\\nced(", "main spliced (");
    assert_expands("\xef\xbb\xbfint \xc3\xa4;", "int \xc3\xa4 ;");
    assert_expands("'unended\nx \"unended\ny", "'unended x \"unended y");
}

static void takes_branches(void **state)
{
    static const struct {
        const char *condition;
        bool value;
    } cases[] = {
        {"1", true},
        {"0", false},
        {"defined GIVEN && !defined(MISSING)", true},
        {"UNKNOWN", false},
        {"UNKNOWN(1, 2) || 1", true},
        {"__cplusplus >= 201402L", true},
        {"1 + 2 * 3 == 7", true},
        {"(1 + 2) * 3 == 9 ? 0 : 1", false},
        {"10 - 2 - 3 == 5", true},
        {"1 << 4 == 16 && 256 >> 4 == 16", true},
        {"0x10 == 020 && 0b11 == 3 && 1'000 == 1000ull", true},
        {"'a' == 97 && '\\n'", true},
        {"1 / 0 == 0 || 1 % 0", true},
        {"-1 < 0 && ~0 == -1 && !0", true},
        {"7 & 3 ^ 1 | 8", true},
        {"true && !false", true},
        {"1 <= 1 && 2 >= 2 && 1 != 2", true},
        {"__has_include(\"one.h\") && !__has_include(<none.h>)", true},
        {"", false},
        {"((((1", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[256];
        snprintf(text, sizeof(text), "#if %s\nyes\n#else\nno\n#endif", cases[i].condition);
        assert_expands(text, cases[i].value ? "yes" : "no");
    }
    assert_expands("#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif\ne", "b e");
    assert_expands("#ifdef GIVEN\n#ifndef GIVEN\na\n#else\nb\n#endif\n#endif", "b");
    assert_expands("#if 0\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif", "c");
    assert_expands("#if 0\ndon't\n#endif\n#ifdef X\n#elifdef GIVEN\ny\n#endif", "y");
    assert_expands("#endif\n#else\n#elif 1\nx\n#if 1", "x");
}

static void put(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void reads_headers(void **state)
{
    (void)state;
    assert_expands("#include \"one.h\"\n#include <one.h>\nx", "one one x");
    assert_expands("#include <once.h>\n#include <once.h>\n#include <guarded.h>\n#include <guarded.h>",
                   "once guarded");
    assert_expands("#define H <one.h>\n#include H\n#include <none.h>\nx", "one x");
    assert_expands("#include <itself.h>\nx", "x");
    assert_expands("#include <macro.h>\nM", "from_header");
    struct cxx_unit unit;
    char path[256];
    read_text("#include <one.h>\n#include <one.h>", &unit);
    snprintf(path, sizeof(path), "%s/one.h", folder);
    assert_int_equal(unit.file_count, 2);
    assert_string_equal(unit.files[1]->path, path);
    assert_int_equal(unit.files[1]->uses, 2);
    cxx_unit_free(&unit);
}

/* A header of macros is read first, whatever folder it is in; without it all else is. */
static void reads_predefined(void **state)
{
    const char *const expected[] = {"from_header", "M"};
    struct cxx_unit unit;
    char path[256];
    (void)state;
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof(path), "%s/%s.h", folder, i == 0 ? "macro" : "missing");
        const struct cxx_settings settings = {"a.cu", "M", &none, &headers, &none, &none, &none, path, NULL};
        assert_int_equal(cxx_unit_read(&settings, &unit), CUBINET_OK);
        assert_int_equal(unit.tokens.count, 2);
        assert_int_equal(unit.tokens.items[0].size, strlen(expected[i]));
        assert_memory_equal(unit.tokens.items[0].text, expected[i], strlen(expected[i]));
        cxx_unit_free(&unit);
    }
}

/* What macros made stands where the outermost of them is used, from its name to its last parenthesis. */
static void tells_places(void **state)
{
    static const char text[] = "#define F(x) x x\n#define G F\na G(b) c";
    struct cxx_unit unit;
    (void)state;
    read_text(text, &unit);
    const struct cxx_token *tokens = unit.tokens.items;
    assert_int_equal(unit.tokens.count, 5);
    assert_int_equal(tokens[0].expansion, 0);
    assert_int_equal(tokens[0].line, 3);
    assert_int_equal(tokens[1].expansion, tokens[2].expansion);
    const struct cxx_expansion *use = &unit.expansions[tokens[1].expansion];
    assert_memory_equal(text + use->begin, "G(b)", 4);
    assert_int_equal(use->end - use->begin, 4);
    assert_int_equal(cxx_token_end(&unit, &tokens[2]), use->end);
    assert_memory_equal(text + tokens[3].offset, "c", 1);
    cxx_unit_free(&unit);
}

/* What other lines and names #line gives; those of directives that are not read don't count. */
static void reads_renumberings(void **state)
{
    struct cxx_unit unit;
    (void)state;
    read_text("#if 0\n#line 9\n#endif\n#line 7\n\n#line 3 \"b.in\"\n#line 5\n#line\n", &unit);
    const struct cxx_file *file = unit.files[0];
    static const struct cxx_renumbering expected[] = {
        {4, 7, "a.cu", 4}, {6, 3, "b.in", 4}, {7, 5, "b.in", 4}};
    assert_int_equal(file->renumbering_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(file->renumberings[i].line, expected[i].line);
        assert_int_equal(file->renumberings[i].number, expected[i].number);
        assert_int_equal(file->renumberings[i].name_size, expected[i].name_size);
        assert_memory_equal(file->renumberings[i].name, expected[i].name, expected[i].name_size);
    }
    cxx_unit_free(&unit);
}

/* Macros that multiply without end are an error, and no loss of time or memory. */
static void bounds_macros(void **state)
{
    struct cxx_unit unit;
    char text[4096] = "#define A0 x x x x x x x x x x\n";
    (void)state;
    for (int i = 1; i < 12; i++) {
        snprintf(text + strlen(text), sizeof(text) - strlen(text),
                 "#define A%d A%d A%d A%d A%d A%d A%d A%d A%d A%d A%d\n", i, i - 1, i - 1, i - 1, i - 1,
                 i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
    }
    strcat(text, "A11");
    const struct cxx_settings settings = {"a.cu", text, &none, &none, &none, &none, &none, NULL, NULL};
    assert_int_equal(cxx_unit_read(&settings, &unit), CUBINET_ERROR_LIMIT);
}

/* What is left out because a macro is defined, and has nothing in its place, is read. */
static void reads_left_out(void **state)
{
    static const struct {
        const char *text;
        const char *expected;
    } cases[] = {
        {"#ifndef RTC\nh\n#endif\nx", "h x"},
        {"#if !defined(RTC) // why\nh\n#endif\nx", "h x"},
        {"\xef\xbb\xbf# if ! defined RTC\nh\n#endif\nx", "h x"},
        {"#ifndef RT\\\nC\nh\n#endif\nx", "h x"},
        {"#ifdef A\n#else\n#ifndef RTC\nh\n#endif\n#endif\nx", "h x"},
        {"#ifndef RTC\n#ifdef A\na\n#else\nb\n#endif\n#endif\nx", "b x"},
        {"#ifndef RTC\nh\n#else\nd\n#endif\nx", "d x"},
        {"#ifndef RTC\nh\n#elif 1\nd\n#endif\nx", "d x"},
        {"#if \\\n!defined(RTC)\nh\n#endif\nx", "x"},
        {"#if !defined(RTC) && 1\nh\n#endif\nx", "x"},
        {"#if !defined(RTC\nh\n#endif\nx", "x"},
        {"#ifndef A\n#\nifndef RTC\n#endif\nx", "ifndef 1 x"},
        {"#endif\n#ifndef RTC\nh", ""},
    };
    static char *defined[] = {"RTC"};
    const struct cbn_text_list macros = {.items = defined, .count = 1};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *text = cases[i].text;
        const struct cxx_settings settings = {"a.cu", text, &none, &none, &none, &macros, &none, NULL, "RTC"};
        struct cxx_unit unit;
        assert_int_equal(cxx_unit_read(&settings, &unit), CUBINET_OK);
        assert_tokens(&unit, cases[i].expected);
        assert_int_equal(strlen(unit.files[0]->data), strlen(text));
        assert_int_equal(unit.files[0]->is_changed,
                         cases[i].expected[0] == 'h' || cases[i].expected[0] == 'b');
        cxx_unit_free(&unit);
    }
}

static int set_up(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    cbn_text_list_add(&headers, folder);
    put("one.h", "one\n");
    put("once.h", "#pragma once\nonce\n");
    put("guarded.h", "#ifndef G\n#define G\nguarded\n#endif\n");
    put("itself.h", "#include <itself.h>\n");
    put("macro.h", "#define M from_header\n");
    return 0;
}

static int tear_down(void **state)
{
    static const char *const names[] = {"one.h", "once.h", "guarded.h", "itself.h", "macro.h"};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[256];
        snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
    cbn_text_list_free(&headers);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expands_macros),   cmocka_unit_test(reads_tokens),
        cmocka_unit_test(takes_branches),   cmocka_unit_test(reads_headers),
        cmocka_unit_test(tells_places),     cmocka_unit_test(bounds_macros),
        cmocka_unit_test(reads_predefined), cmocka_unit_test(reads_renumberings),
        cmocka_unit_test(reads_left_out),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
