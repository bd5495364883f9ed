/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "ptx/cleaning/ptx_clean.h"
#include "ptx_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *clean_bytes(const char *text, size_t size, const struct ptx_clean_options *options)
{
    char *cleaned = NULL;
    size_t cleaned_size = 0;
    assert_int_equal(ptx_clean(text, size, options, &cleaned, &cleaned_size), CUBINET_OK);
    assert_int_equal(cleaned[cleaned_size], '\0');
    return cleaned;
}

static void check_with(const struct ptx_clean_options *options, const char *text, const char *expected)
{
    char *cleaned = clean_bytes(text, strlen(text), options);
    assert_string_equal(cleaned, expected);
    free(cleaned);
}

/* Checks what dropping makes of a module's statements. */
static void check_drop(const char *text, const char *expected)
{
    char whole[1024], wanted[1024];
    snprintf(whole, sizeof(whole), PTX_HEAD "%s", text);
    snprintf(wanted, sizeof(wanted), PTX_HEAD "%s", expected);
    check_with(&(struct ptx_clean_options){.drop_unreferenced = true}, whole, wanted);
}

static void check_stays(const char *text)
{
    check_drop(text, text);
}

static void drops_whole_lines_of_what_nothing_uses(void **state)
{
    (void)state;
    check_drop(".global .u32 a;\n.entry k() { ret; }\n", ".entry k() { ret; }\n");
    check_drop("\t.const .u32 a[2] = {1, 2}; \r\n.global\n .u32 b;\n.entry k() { ret; }",
               ".entry k() { ret; }");
    check_drop(".global .u32 a; // why\n.entry k() { ret; }", " // why\n.entry k() { ret; }");
    check_drop("/* x */ .global .u32 a;\n.global .u32 b; .global .u32 c;", "/* x */ \n ");
    check_drop(".global .attribute(.managed) .u32 a;\n", "");
}

static void keeps_what_functions_use(void **state)
{
    (void)state;
    check_stays(".global .u32 a;\n.entry k() { mov.u64 %rd1, a; }\n");
    check_stays(".global .u32 a;\n.func f() { mov.u64 %rd1, a; }\n");
    check_stays(".global .u32 a;\n.entry k() { { .reg .b64 x; mov.u64 x, a+4; } }\n");
    check_stays(".entry k() { ret; }\n.global .u32 a;\n.func f() { mov.u64 %rd1,a; }\n");
    check_drop(".global .u32 a;\n.entry k() { mov.u64 %rd1, ab; mov.u64 %rd1, %a; ld.global.u32 b, [a$]; }\n",
               ".entry k() { mov.u64 %rd1, ab; mov.u64 %rd1, %a; ld.global.u32 b, [a$]; }\n");
}

static void comments_and_strings_use_nothing(void **state)
{
    (void)state;
    const char *rest = ".entry k() { // a\n /* a */ .pragma \"a\"; ret; }\n.file 1 \"a\"\n# 1 \"a\"\n# a\n";
    char text[256];
    snprintf(text, sizeof(text), ".global .u32 a;\n%s", rest);
    check_drop(text, rest);
}

static void keeps_what_kept_variables_use(void **state)
{
    (void)state;
    check_stays(".global .u32 a;\n.global .u64 b = generic(a)+8;\n.global .u64 c[2] = {b, 0};\n"
                ".entry k() { mov.u64 %rd1, c; }\n");
    check_stays(".global .u32 a;\n.visible .global .u64 b = a;\n");
    check_stays(".weak .global .u32 a;\n.extern .const .u32 b;\n.common .global .u32 c;\n");
    check_stays(".shared .u32 a;\n.tex .u32 b;\n");
    check_drop(".global .u32 a;\n.global .u64 b = generic(a);\n.global .u64 c = generic(b);\n", "");
    check_drop(".global .u64 a = generic(a);\n", "");
}

static void keeps_what_debug_information_names(void **state)
{
    (void)state;
    check_stays(".global .u32 a;\n.section .debug_info\n{\n.b64 a\n}\n");
    check_drop(".global .u32 a;\n.section .debug_str\n{\n.b8 97,0\n}\n",
               ".section .debug_str\n{\n.b8 97,0\n}\n");
}

static void keeps_what_it_does_not_know(void **state)
{
    (void)state;
    check_stays(".global .texref t;\n.global .u32 v<4>;\n.global .u32 ?;\n");
    check_stays(".global .u32 a;\n.global .u32 a;\n");
    check_drop(".global .u32 a, b;\n.entry k() { ret; }", ".entry k() { ret; }");
    check_stays(".global .u32 a, b;\n.entry k() { mov.u64 %rd1, b; }");
}

static void keeps_what_the_caller_names(void **state)
{
    (void)state;
    static const char *const keep[] = {"b"};
    check_with(&(struct ptx_clean_options){.drop_unreferenced = true, .keep = keep, .keep_count = 1},
               PTX_HEAD ".global .u32 a;\n.global .u64 b = generic(c);\n.global .u32 c;\n.global .u32 bb;\n",
               PTX_HEAD ".global .u64 b = generic(c);\n.global .u32 c;\n");
    check_with(&(struct ptx_clean_options){0}, PTX_HEAD ".global .u32 a;\n", PTX_HEAD ".global .u32 a;\n");
}

static void leaves_what_is_no_ptx(void **state)
{
    (void)state;
    check_with(&(struct ptx_clean_options){.drop_unreferenced = true}, "", "");
    check_with(&(struct ptx_clean_options){.drop_unreferenced = true}, "no PTX\n", "no PTX\n");
    check_stays(".global .u32 a;\n.entry k() { ret;\n");
    check_stays(".global .u32 a;\n.entry k() { ret; }\n/* open\n");
    check_stays(".global .u32 a;\n.pragma \"open;\n");
    check_stays(".global .u32 a;\n.global .u32 b");
    check_stays(".global .u32 a;\n}\n");
}

static void drops_nuls_at_the_end(void **state)
{
    (void)state;
    static const char text[] = PTX_HEAD "\0";
    char *cleaned = NULL;
    size_t size;
    assert_int_equal(ptx_clean(text, sizeof(text), &(struct ptx_clean_options){0}, &cleaned, &size),
                     CUBINET_OK);
    assert_int_equal(size, strlen(PTX_HEAD));
    free(cleaned);
}

static void cleans_what_nvrtc_writes(void **state)
{
    (void)state;
    char *cleaned =
        clean_bytes(PTX_FIXTURE, strlen(PTX_FIXTURE), &(struct ptx_clean_options){.drop_unreferenced = true});
    static const char *const gone[] = {"5valueE", "dead_link", "dead_end", "coefficients", "bc263633_3091"};
    static const char *const here[] = {"table[16]", "u64 link", "u32 counter", "u32 other", "$str[7]"};
    for (size_t i = 0; i < COUNT(gone); i++) {
        assert_null(strstr(cleaned, gone[i]));
        assert_non_null(strstr(cleaned, here[i]));
    }
    char *again =
        clean_bytes(cleaned, strlen(cleaned), &(struct ptx_clean_options){.drop_unreferenced = true});
    assert_string_equal(again, cleaned);
    free(again);
    free(cleaned);
}

/* Names. */

static char *stable(const char *name, const char *identity)
{
    char *result = NULL;
    assert_int_equal(ptx_stable_name(name, identity, &result), CUBINET_OK);
    return result;
}

static void check_same_name(const char *a, const char *b)
{
    char *first = stable(a, "module");
    char *second = stable(b, "module");
    assert_string_equal(first, second);
    free(first);
    free(second);
}

static void check_left(const char *name)
{
    char *same = stable(name, "module");
    assert_string_equal(same, name);
    free(same);
}

static void names_do_not_depend_on_checksum_and_process(void **state)
{
    (void)state;
    check_same_name("_ZN44_INTERNAL_00000000_9_segsum_cu_bc263633_30914cuda3cpo5beginE",
                    "_ZN47_INTERNAL_00000000_9_segsum_cu_0123abcd_41943034cuda3cpo5beginE");
    check_same_name(
        "_ZN41_INTERNAL_00000000_6_foo_cu_bc263633_30914f146_GLOBAL__N__00000000_6_foo_cu_bc263633_"
        "26338110anon_constE",
        "_ZN41_INTERNAL_00000000_6_foo_cu_abababab_99914f146_GLOBAL__N__00000000_6_foo_cu_abababab_"
        "12345110anon_constE");
    check_same_name("_ZZN38_INTERNAL_00000000_6_foo_cu_bc263633_14s_fnEiE3cnt",
                    "_ZZN39_INTERNAL_00000000_6_foo_cu_bc263633_224s_fnEiE3cnt");
}

static void names_keep_their_mangling(void **state)
{
    (void)state;
    char *name = stable("_ZN4foo144_INTERNAL_00000000_9_segsum_cu_bc263633_30914cuda5beginE", "module");
    char tail[128] = "";
    unsigned length = 0;
    assert_int_equal(sscanf(name, "_ZN4foo1%u%127s", &length, tail), 2);
    assert_int_equal(length, strlen(tail) - strlen("4cuda5beginE"));
    assert_ptr_equal(strstr(tail, "4cuda5beginE"), tail + length);
    free(name);
}

static void names_tell_modules_apart(void **state)
{
    (void)state;
    const char *name = "_ZN44_INTERNAL_00000000_9_segsum_cu_bc263633_30914cuda5beginE";
    char *one = stable(name, "one");
    char *two = stable(name, "two");
    char *none = stable(name, NULL);
    char *empty = stable(name, "");
    assert_string_not_equal(one, two);
    assert_string_not_equal(one, none);
    assert_string_equal(none, empty);
    char *again = stable(one, "one");
    assert_string_equal(again, one);
    free(again);
    free(empty);
    free(none);
    free(two);
    free(one);
}

static void other_names_stay(void **state)
{
    (void)state;
    check_left("");
    check_left("_Z6segsumIfEvPT_");
    check_left("_ZN33_INTERNAL_00000000_6_int_cu_s_ptr5outer2ccE");
    check_left("_INTERNAL_00000000_9_segsum_cu_bc263633_3091");
    check_left("44_INTERNAL_00000000_9_segsum_cu_bc263633_309");
    check_left("43_INTERNAL_00000000_9_segsum_cu_bc263633_");
    check_left("44_INTERNAL_00000000_9_segsum_cu_bc26363g_3091");
    check_left("44_INTERNAL_00000000_8_segsum_cu_bc263633_3091");
    check_left("44_INTERNAL_00000000_999999999999999999999_segsum_cu_bc263633_3091");
    check_left("44_INTERNAL_00000001_9_segsum_cu_bc263633_3091");
    check_left("45_EXTERNAL_00000000_9_segsum_cu_bc263633_3091");
}

static void renames_everywhere_in_the_text(void **state)
{
    (void)state;
#define NAME "_ZN41_INTERNAL_00000000_6_foo_cu_bc263633_30911aE"
    char *name = stable(NAME, "module");
    char *cleaned = clean_bytes(
        PTX_HEAD "// " NAME "\n.global .u32 " NAME ";\n.entry k() { mov.u64 %rd1, " NAME "; }",
        strlen(PTX_HEAD) + 3 * strlen(NAME) + strlen("// \n.global .u32 ;\n.entry k() { mov.u64 %rd1, ; }"),
        &(struct ptx_clean_options){.drop_unreferenced = true, .identity = "module"});
    char expected[512];
    snprintf(expected, sizeof(expected),
             PTX_HEAD "// %s\n.global .u32 %s;\n.entry k() { mov.u64 %%rd1, %s; }", name, name, name);
    assert_string_equal(cleaned, expected);
    free(cleaned);
    free(name);
#undef NAME
}

/* Appends ".b8" lines for a string with its NUL, `per_line` numbers a line. */
static void append_bytes(char *text, size_t capacity, const char *string, size_t per_line)
{
    for (size_t i = 0; i <= strlen(string); i++) {
        size_t used = strlen(text);
        snprintf(text + used, capacity - used, "%s%u",
                 i == 0              ? ".b8 "
                 : i % per_line == 0 ? "\n.b8 "
                                     : ",",
                 (unsigned char)string[i]);
    }
}

static void check_debug(const char *section, const char *name, const char *expected)
{
    char text[2048];
    char wanted[2048];
    snprintf(text, sizeof(text), PTX_HEAD "\t.section\t%s\n\t{\n$L__info_string0:\n", section);
    memcpy(wanted, text, sizeof(text));
    append_bytes(text, sizeof(text) - 8, name, strcmp(name, expected) == 0 ? 40 : 7);
    append_bytes(wanted, sizeof(wanted) - 8, expected, 40);
    strcat(text, "\n\n\t}\n");
    strcat(wanted, "\n\n\t}\n");
    check_with(&(struct ptx_clean_options){.identity = "module"}, text, wanted);
}

static void renames_in_debug_information(void **state)
{
    (void)state;
    const char *short_name = "_ZN41_INTERNAL_00000000_6_foo_cu_bc263633_30911aE";
    const char *long_name = "_ZN44_INTERNAL_00000000_6_foo_cu_bc263633_12345671aE";
    char *expected = stable(short_name, "module");
    check_debug(".debug_str", short_name, expected);
    check_debug(".debug_str", long_name, expected);
    check_debug(".debug_info", long_name, expected);
    /* Offsets in .debug_info would be wrong after a change of size. */
    check_debug(".debug_info", short_name, short_name);
    check_debug(".debug_str", "_Z1kv", "_Z1kv");
    free(expected);
}

static void leaves_sections_that_are_no_bytes(void **state)
{
    (void)state;
    static const char *const sections[] = {
        ".section .debug_str { .b8 }\n",      ".section .debug_str { .b8 1,, }\n",
        ".section .debug_str { .b8 300 }\n",  ".section .debug_str { .b8 -1 .b8 x }\n",
        ".section .debug_str { \"open }\n",   ".section .debug_str { }\n.section\n",
        ".section .debug_str { .b8 1,2, }\n", ".section { .b32 x+4 .b64 $L }",
    };
    for (size_t i = 0; i < COUNT(sections); i++) {
        check_stays(sections[i]);
    }
}

/* Paths. */

static void check_path(const char *file, const char *expected)
{
    static const struct ptx_path_map maps[] = {
        {"/home/user/", "/src/"}, {"/home/", "/other/"}, {"/\xc3\xbc/", "/u\"/"}, {"/gone", ""}};
    char text[256], wanted[256];
    snprintf(text, sizeof(text), PTX_HEAD "\t.file\t%s\n.entry k() { .loc 1 2 3\n ret; }\n", file);
    snprintf(wanted, sizeof(wanted), PTX_HEAD "\t.file\t%s\n.entry k() { .loc 1 2 3\n ret; }\n", expected);
    check_with(&(struct ptx_clean_options){.path_maps = maps, .path_map_count = COUNT(maps)}, text, wanted);
}

static void maps_paths(void **state)
{
    (void)state;
    check_path("1 \"/home/user/k.cu\"", "1 \"/src/k.cu\"");
    check_path("1 \"/home/k.cu\"", "1 \"/other/k.cu\"");
    check_path("1 \"/gone\"", "1 \"\"");
    check_path("1 \"/usr/home/user/k.cu\"", "1 \"/usr/home/user/k.cu\"");
    check_path("2 \"/home/user/k.cu\", 1700000000, 482", "2 \"/src/k.cu\"");
    check_path("2 \"/opt/k.cu\", 1700000000, 482", "2 \"/opt/k.cu\", 1700000000, 482");
}

static void compares_paths_without_their_escapes(void **state)
{
    (void)state;
    check_path("1 \"/\\303\\274/k\\\\x\\t.cu\"", "1 \"/u\\\"/k\\\\x\\011.cu\"");
    check_path("1 \"/home/user/a\\\"b.cu\"", "1 \"/src/a\\\"b.cu\"");
    check_path("1 \"/\\303x/k.cu\"", "1 \"/\\303x/k.cu\"");
}

/* Damage. */

/* Cleans a copy that a sanitizer sees the end of. */
static void clean_copy(const char *text, size_t size)
{
    static const struct ptx_path_map map = {"/home/", "/"};
    static const char *const keep[] = {"table"};
    const struct ptx_clean_options options = {
        .drop_unreferenced = true, .keep = keep, .keep_count = 1, .path_maps = &map, .path_map_count = 1};
    char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, text, size);
    free(clean_bytes(copy, size, &options));
    free(copy);
}

static void survives_every_truncation_and_byte(void **state)
{
    (void)state;
    char text[] = PTX_FIXTURE;
    static const char bytes[] = "\0\"/*#{}()[]<>,;.\\=9\xff";
    for (size_t at = 0; at < sizeof(text); at++) {
        clean_copy(text, at);
        char kept = text[at];
        for (size_t i = 0; i < sizeof(bytes); i++) {
            text[at] = bytes[i];
            clean_copy(text, sizeof(text));
        }
        text[at] = kept;
    }
}

/* Every variable that was dropped has to be gone from the rest of the text, and no other line may be. */
static void drops_only_what_nothing_else_names(void **state)
{
    (void)state;
    enum { VARIABLES = 200 };
    unsigned seed = 1;
    for (int round = 0; round < 50; round++) {
        char text[16384] = PTX_HEAD;
        int target[VARIABLES];
        bool used[VARIABLES] = {false};
        for (int i = 0; i < VARIABLES; i++) {
            seed = seed * 1103515245 + 12345;
            target[i] = (int)(seed >> 16) % VARIABLES;
            size_t length = strlen(text);
            snprintf(text + length, sizeof(text) - length, ".global .u64 v%d_ = generic(v%d_);\n", i,
                     target[i]);
        }
        int root = (int)(seed >> 8) % VARIABLES;
        for (int i = root; !used[i]; i = target[i]) {
            used[i] = true;
        }
        size_t length = strlen(text);
        snprintf(text + length, sizeof(text) - length, ".entry k() { mov.u64 %%rd1, v%d_; }\n", root);
        char *cleaned =
            clean_bytes(text, strlen(text), &(struct ptx_clean_options){.drop_unreferenced = true});
        for (int i = 0; i < VARIABLES; i++) {
            char declaration[32];
            snprintf(declaration, sizeof(declaration), ".u64 v%d_ ", i);
            assert_int_equal(strstr(cleaned, declaration) != NULL, used[i]);
        }
        free(cleaned);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drops_whole_lines_of_what_nothing_uses),
        cmocka_unit_test(keeps_what_functions_use),
        cmocka_unit_test(comments_and_strings_use_nothing),
        cmocka_unit_test(keeps_what_kept_variables_use),
        cmocka_unit_test(keeps_what_debug_information_names),
        cmocka_unit_test(keeps_what_it_does_not_know),
        cmocka_unit_test(keeps_what_the_caller_names),
        cmocka_unit_test(leaves_what_is_no_ptx),
        cmocka_unit_test(drops_nuls_at_the_end),
        cmocka_unit_test(cleans_what_nvrtc_writes),
        cmocka_unit_test(drops_only_what_nothing_else_names),
        cmocka_unit_test(names_do_not_depend_on_checksum_and_process),
        cmocka_unit_test(names_keep_their_mangling),
        cmocka_unit_test(names_tell_modules_apart),
        cmocka_unit_test(other_names_stay),
        cmocka_unit_test(renames_everywhere_in_the_text),
        cmocka_unit_test(renames_in_debug_information),
        cmocka_unit_test(leaves_sections_that_are_no_bytes),
        cmocka_unit_test(maps_paths),
        cmocka_unit_test(compares_paths_without_their_escapes),
        cmocka_unit_test(survives_every_truncation_and_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
