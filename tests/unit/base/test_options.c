/* SPDX-License-Identifier: Apache-2.0 */
/* Options in nvcc's spellings. */
#include "unit.h"

#include "base/options.h"

#include <cubinet/status.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARCH = 1, INCLUDE, LINEINFO, OUTPUT, OPTIMIZE, LIBRARY };

static const struct option options[] = {
    {ARCH, "arch", 0, "ARCH", "an architecture", false},
    {ARCH, "gpu-architecture", 0, "ARCH", NULL, false},
    {INCLUDE, "include-path", 'I', "DIR", "a folder with headers;\nmay be given several times", false},
    {LINEINFO, "lineinfo", 0, NULL, "line numbers", false},
    {OUTPUT, "output-file-with-a-long-name", 'o', "FILE", "the output", false},
    {OPTIMIZE, NULL, 'O', "LEVEL", "0 to 3", true},
    {0},
};

static const struct option more[] = {
    {LIBRARY, "library", 'l', "NAME", "a library", false},
    {0},
};

struct expected {
    int id;
    const char *value;
};

/* Reads a command line of at most 8 arguments and compares what comes out. */
static void reads_with(struct option_reader reader, const char *const *arguments,
                       const struct expected *expected)
{
    char *argv[8];
    int argc = 0;
    for (; arguments[argc]; argc++) {
        argv[argc] = (char *)(uintptr_t)arguments[argc];
    }
    reader.argc = argc;
    reader.argv = argv;
    for (; expected->id != OPTION_END; expected++) {
        assert_int_equal(option_next(&reader), expected->id);
        if (expected->id == OPTION_ERROR) {
            assert_string_equal(cubinet_error_message(), expected->value);
            return;
        }
        if (expected->value) {
            assert_string_equal(reader.value, expected->value);
        } else {
            assert_null(reader.value);
        }
    }
    assert_int_equal(option_next(&reader), OPTION_END);
    assert_int_equal(option_next(&reader), OPTION_END); /* and stays there */
}

static void reads(const char *const *arguments, const struct expected *expected)
{
    reads_with((struct option_reader){.options = options}, arguments, expected);
}

#define ARGUMENTS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define EXPECTED(...)  ((const struct expected[]){__VA_ARGS__, {OPTION_END, NULL}})

static void long_names_have_one_dash_or_two(void **state)
{
    (void)state;
    reads(ARGUMENTS("--arch=80", "-arch=90", "--arch", "100", "-arch", "120", "--gpu-architecture", "75"),
          EXPECTED({ARCH, "80"}, {ARCH, "90"}, {ARCH, "100"}, {ARCH, "120"}, {ARCH, "75"}));
    reads(ARGUMENTS("-lineinfo", "--lineinfo"), EXPECTED({LINEINFO, NULL}, {LINEINFO, NULL}));
    reads(ARGUMENTS("--arch=a=b", "--arch="), EXPECTED({ARCH, "a=b"}, {ARCH, ""}));
}

static void letters_take_joined_and_separate_values(void **state)
{
    (void)state;
    reads(ARGUMENTS("-Ifolder", "-I", "other", "-I=x", "-o", "-"),
          EXPECTED({INCLUDE, "folder"}, {INCLUDE, "other"}, {INCLUDE, "x"}, {OUTPUT, "-"}));
}

static void optional_values_are_joined_only(void **state)
{
    (void)state;
    reads(ARGUMENTS("-O3", "-O", "file.cu"),
          EXPECTED({OPTIMIZE, "3"}, {OPTIMIZE, NULL}, {OPTION_POSITIONAL, "file.cu"}));
}

static void other_arguments_are_positional(void **state)
{
    (void)state;
    reads(ARGUMENTS("a.cu", "-", "-lineinfo", "--", "-lineinfo", "--", "-x"),
          EXPECTED({OPTION_POSITIONAL, "a.cu"}, {OPTION_POSITIONAL, "-"}, {LINEINFO, NULL},
                   {OPTION_POSITIONAL, "-lineinfo"}, {OPTION_POSITIONAL, "--"}, {OPTION_POSITIONAL, "-x"}));
}

static void mistakes_are_named(void **state)
{
    (void)state;
    reads(ARGUMENTS("--linfo"),
          EXPECTED({OPTION_ERROR, "unknown option '--linfo'; the nearest is '--lineinfo'"}));
    reads(ARGUMENTS("-q"), EXPECTED({OPTION_ERROR, "unknown option '-q'"}));
    reads(ARGUMENTS("--arch"), EXPECTED({OPTION_ERROR, "option '--arch' needs a value: ARCH"}));
    reads(ARGUMENTS("-I"), EXPECTED({OPTION_ERROR, "option '-I' needs a value: DIR"}));
    reads(ARGUMENTS("-lineinfo=1"),
          EXPECTED({OPTION_ERROR, "option '-lineinfo' takes no value, but was given '1'"}));
}

static void a_second_table_comes_after_the_first(void **state)
{
    (void)state;
    const struct option_reader reader = {.options = options, .more = more};
    reads_with(reader, ARGUMENTS("-lineinfo", "-lm", "--library=x", "-Idir"),
               EXPECTED({LINEINFO, NULL}, {LIBRARY, "m"}, {LIBRARY, "x"}, {INCLUDE, "dir"}));
    reads_with(reader, ARGUMENTS("--librray"),
               EXPECTED({OPTION_ERROR, "unknown option '--librray'; the nearest is '--library'"}));
}

static void unknown_options_can_be_skipped(void **state)
{
    (void)state;
    const struct option_reader reader = {.options = options, .skips_unknown = true};
    reads_with(reader, ARGUMENTS("-foo", "--bar=1", "-lineinfo"),
               EXPECTED({OPTION_UNKNOWN, "-foo"}, {OPTION_UNKNOWN, "--bar=1"}, {LINEINFO, NULL}));
    reads_with(reader, ARGUMENTS("--arch"), EXPECTED({OPTION_ERROR, "option '--arch' needs a value: ARCH"}));
}

static void help_is_in_columns(void **state)
{
    (void)state;
    static const char expected[] = "  --arch ARCH                 an architecture\n"
                                   "  -I, --include-path DIR      a folder with headers;\n"
                                   "                              may be given several times\n"
                                   "  --lineinfo                  line numbers\n"
                                   "  -o, --output-file-with-a-long-name FILE\n"
                                   "                              the output\n"
                                   "  -O[LEVEL]                   0 to 3\n";
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    options_print(options, file);
    fclose(file);
    assert_string_equal(text, expected);
    free(text);
}

static void the_next_argument_is_a_value(void **state)
{
    (void)state;
    const struct option_reader reader = {.options = options, .more = more};
    static const char *const taking[] = {"-arch", "--gpu-architecture", "-I", "-o", "-l", "--library"};
    static const char *const others[] = {"-arch=x", "-Ix", "-O", "-lineinfo", "--unknown",
                                         "arch",    "-",   "--", ""};
    for (size_t i = 0; i < COUNT(taking); i++) {
        assert_true(option_takes_next(&reader, taking[i]));
    }
    for (size_t i = 0; i < COUNT(others); i++) {
        assert_false(option_takes_next(&reader, others[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_names_have_one_dash_or_two),
        cmocka_unit_test(letters_take_joined_and_separate_values),
        cmocka_unit_test(optional_values_are_joined_only),
        cmocka_unit_test(other_arguments_are_positional),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(a_second_table_comes_after_the_first),
        cmocka_unit_test(unknown_options_can_be_skipped),
        cmocka_unit_test(help_is_in_columns),
        cmocka_unit_test(the_next_argument_is_a_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
