/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions, numbers, what arguments are filled with, and whether results are right. */
#include "unit.h"

#include "tune/expression.h"
#include "tune/generator.h"
#include "tune/names.h"
#include "tune/numbers.h"
#include "tune/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct expression_values make_names(void)
{
    struct expression_values names = {0};
    assert_int_equal(names_add(&names, NAMES_EXTENT, NULL), CUBINET_OK);
    assert_int_equal(expression_set(&names, "extent.x", 1000), CUBINET_OK);
    assert_int_equal(expression_set(&names, "extent.y", 7), CUBINET_OK);
    return names;
}

static void evaluates_expressions(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"10 - 2 - 3", 5},
        {"-7 / 2", -3},
        {"7 % 4", 3},
        {"extent.x * extent.y", 7000},
        {"min(extent.x, 5) + max(2, 3)", 8},
        {"ceil_div(extent.x, 256)", 4},
        {"ceil_div(-7, 2)", -3},
        {"extent.x >= 1000 && extent.y != 7", 0},
        {"extent.x < 1 || !0", 1},
        {"extent.x == 1000 ? 4 : 1 / 0", 4},
        {"0 ? 1 / 0 : 5", 5},
        {"0 && 1 / 0", 0},
        {"1 || 9223372036854775807 + 1", 1},
        {"3 <= 3 ? 1 > 2 ? 10 : 20 : 30", 20},
    };
    struct expression_values names = make_names();
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t value = -99;
        assert_int_equal(expression_check(cases[i].text, &names), CUBINET_OK);
        assert_int_equal(expression_evaluate(cases[i].text, &names, &value), CUBINET_OK);
        assert_int_equal(value, cases[i].value);
    }
    expression_values_free(&names);
}

static void refuses_expressions(void **state)
{
    static const struct {
        const char *text;
        const char *message;
    } cases[] = {
        {"", "at its end: a number, a name or a ( is needed"},
        {"1 +", "at its end: a number, a name or a ( is needed"},
        {"(1", "at its end: a ) is needed"},
        {"1 2", "at \"2\": an operator is needed"},
        {"width", "no such name; there are extent.x"},
        {"pow(1, 2)", "the functions are min, max and ceil_div"},
        {"min(1)", "a comma is needed"},
        {"min(1, 2", "a ) is needed"},
        {"1 ? 2", "a : is needed"},
        {"99999999999999999999", "more than 63 bits"},
        {"1 / 0", "it divides by 0"},
        {"1 % (extent.y - 7)", "it divides by 0"},
        {"9223372036854775807 + 1", "more than 63 bits"},
        {"0 - 9223372036854775807 - 2", "more than 63 bits"},
        {"9223372036854775807 * 2", "more than 63 bits"},
        {"(0 - 9223372036854775807 - 1) / -1", "more than 63 bits"},
        {"-(0 - 9223372036854775807 - 1)", "more than 63 bits"},
    };
    struct expression_values names = make_names();
    char deep[400];
    int64_t value = 5;
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(expression_evaluate(cases[i].text, &names, &value), CUBINET_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(cubinet_error_message(), cases[i].message));
    }
    memset(deep, '(', sizeof(deep));
    deep[sizeof(deep) - 1] = '\0';
    assert_int_equal(expression_check(deep, &names), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(cubinet_error_message(), "nested too deeply"));
    memset(deep, 'n', 80);
    deep[80] = '\0';
    assert_int_equal(expression_set(&names, deep, 1), CUBINET_ERROR_LIMIT);
    assert_int_equal(value, 5);
    expression_values_free(&names);
}

static void stores_small_floats(void **state)
{
    static const struct {
        enum tune_type type;
        double number;
        uint16_t bits;
    } cases[] = {
        {TUNE_F16, 1, 0x3c00},           {TUNE_F16, -2, 0xc000},          {TUNE_F16, 65504, 0x7bff},
        {TUNE_F16, 65520, 0x7c00},       {TUNE_F16, 1e9, 0x7c00},         {TUNE_F16, 0x1p-24, 0x0001},
        {TUNE_F16, 0x1p-26, 0x0000},     {TUNE_F16, 0, 0x0000},           {TUNE_F16, 1 + 0x1p-11, 0x3c00},
        {TUNE_F16, 1 + 0x3p-11, 0x3c02}, {TUNE_F16, 0x1p-14, 0x0400},     {TUNE_BF16, 1, 0x3f80},
        {TUNE_BF16, -2.5, 0xc020},       {TUNE_BF16, 1 + 0x1p-8, 0x3f80},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint16_t bits = 0;
        number_store_real(cases[i].type, cases[i].number, &bits);
        assert_int_equal(bits, cases[i].bits);
    }
    uint16_t half = 0x3555;
    assert_true(fabs(number_load_real(TUNE_F16, &half) - 1.0 / 3) < 1e-3);
    half = 0x8001;
    assert_true(number_load_real(TUNE_F16, &half) == -0x1p-24);
    half = 0x7c00;
    assert_true(isinf(number_load_real(TUNE_F16, &half)));
    half = 0x3f80;
    assert_true(number_load_real(TUNE_BF16, &half) == 1);
    number_store_real(TUNE_F16, NAN, &half);
    assert_true(isnan(number_load_real(TUNE_F16, &half)));
    number_store_real(TUNE_BF16, NAN, &half);
    assert_true(isnan(number_load_real(TUNE_BF16, &half)));
}

static struct tune_argument argument_of(enum tune_type type, enum tune_fill fill)
{
    static char name[] = "x";
    static char elements[] = "extent.x";
    return (struct tune_argument){.name = name, .type = type, .fill = fill, .elements = {.text = elements}};
}

static void generates_arguments(void **state)
{
    struct expression_values names = make_names();
    struct generated made;
    struct generated again;
    (void)state;
    struct tune_argument random = argument_of(TUNE_F32, TUNE_RANDOM);
    random.first.number = -1;
    random.second.number = 1;
    assert_int_equal(generate(&random, &names, "", &made), CUBINET_OK);
    assert_int_equal(generate(&random, &names, "", &again), CUBINET_OK);
    assert_int_equal(made.count, 1000);
    assert_memory_equal(made.data, again.data, made.bytes);
    for (size_t i = 0; i < made.count; i++) {
        float number = ((float *)made.data)[i];
        assert_true(number >= -1 && number <= 1);
    }
    free(again.data);
    random.seed = 1;
    assert_int_equal(generate(&random, &names, "", &again), CUBINET_OK);
    assert_memory_not_equal(made.data, again.data, made.bytes);
    free(again.data);
    free(made.data);

    struct tune_argument index = argument_of(TUNE_U16, TUNE_RANDOM);
    index.first.number = 3;
    index.second.number = 5;
    bool seen[6] = {false};
    assert_int_equal(generate(&index, &names, "", &made), CUBINET_OK);
    for (size_t i = 0; i < made.count; i++) {
        uint16_t number = ((uint16_t *)made.data)[i];
        assert_true(number >= 3 && number <= 5);
        seen[number] = true;
    }
    assert_true(seen[3] && seen[4] && seen[5]);
    free(made.data);

    struct tune_argument ramp = argument_of(TUNE_I32, TUNE_RAMP);
    ramp.first.number = 10;
    ramp.second.number = -2;
    assert_int_equal(generate(&ramp, &names, "", &made), CUBINET_OK);
    assert_int_equal(((int32_t *)made.data)[0], 10);
    assert_int_equal(((int32_t *)made.data)[999], 10 - 2 * 999);
    free(made.data);

    struct tune_argument scalar = argument_of(TUNE_F64, TUNE_SCALAR);
    scalar.first.number = 0.25;
    assert_int_equal(generate(&scalar, &names, "", &made), CUBINET_OK);
    assert_int_equal(made.bytes, 8);
    assert_true(number_load_real(TUNE_F64, made.scalar) == 0.25);
    expression_values_free(&names);
}

static void refuses_arguments(void **state)
{
    struct expression_values names = make_names();
    struct generated made;
    char path[] = "/tmp/cubinet-test-XXXXXX";
    int file = mkstemp(path);
    (void)state;
    assert_true(file >= 0);
    assert_int_equal(write(file, "1234", 4), 4);
    close(file);
    struct tune_argument bounds = argument_of(TUNE_I32, TUNE_RANDOM);
    bounds.first.number = 2;
    assert_int_equal(generate(&bounds, &names, "", &made), CUBINET_ERROR_INVALID_ARGUMENT);
    struct tune_argument empty = argument_of(TUNE_I32, TUNE_ZERO);
    static char nothing[] = "extent.x - 1000";
    empty.elements.text = nothing;
    assert_int_equal(generate(&empty, &names, "", &made), CUBINET_ERROR_LIMIT);
    struct tune_argument stored = argument_of(TUNE_F32, TUNE_FILE);
    stored.file = path;
    assert_int_equal(generate(&stored, &names, "", &made), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(cubinet_error_message(), "has 4 bytes; 4000 are needed"));
    unlink(path);
    assert_int_equal(generate(&stored, &names, "", &made), CUBINET_ERROR_IO);
    expression_values_free(&names);
}

static void compares_results(void **state)
{
    const struct tolerance exact = {0};
    const struct tolerance loose = {.absolute = 0.01, .relative = 0.1};
    struct difference difference;
    const float right[] = {1, 100, NAN, INFINITY, 0};
    const float near[] = {1.05f, 109, NAN, INFINITY, 0.005f};
    const float far[] = {1, 100, 3, INFINITY, 0};
    const int32_t a[] = {1, -5};
    const int32_t b[] = {1, -6};
    const uint8_t c[] = {200};
    const uint8_t d[] = {201};
    (void)state;
    assert_true(results_agree(TUNE_F32, right, right, 5, &exact, &difference));
    assert_false(results_agree(TUNE_F32, near, right, 5, &exact, &difference));
    assert_int_equal(difference.index, 0);
    assert_string_equal(difference.right, "1");
    assert_true(results_agree(TUNE_F32, near, right, 5, &loose, &difference));
    assert_false(results_agree(TUNE_F32, far, right, 5, &loose, &difference));
    assert_int_equal(difference.index, 2);
    assert_false(results_agree(TUNE_I32, a, b, 2, &loose, &difference));
    assert_string_equal(difference.found, "-5");
    assert_false(results_agree(TUNE_U8, c, d, 1, &loose, &difference));
    assert_string_equal(difference.found, "200");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evaluates_expressions), cmocka_unit_test(refuses_expressions),
        cmocka_unit_test(stores_small_floats),   cmocka_unit_test(generates_arguments),
        cmocka_unit_test(refuses_arguments),     cmocka_unit_test(compares_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
