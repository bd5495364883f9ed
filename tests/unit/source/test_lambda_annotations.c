/* SPDX-License-Identifier: Apache-2.0 */
#include "source/lambda_annotations.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

static void blanks_annotations_of_lambdas_alone(void **state)
{
    (void)state;
    static const struct {
        const char *source;
        const char *expected;
    } cases[] = {
        {"", ""},
        {"]", "]"},
        {"[=] __device__ (int i)", "[=]            (int i)"},
        {"[] __device__{}", "[]           {}"},
        {"[]__host__ __device__()", "[]                   ()"},
        {"[] __device__ /* c */ (", "[]            /* c */ ("},
        {"[] // c\n  __device__\n(", "[] // c\n            \n("},
        /* No lambdas. */
        {"[[nodiscard]] __device__ int f()", "[[nodiscard]] __device__ int f()"},
        {"[] __device__x (", "[] __device__x ("},
        {"[] __device__", "[] __device__"},
        {"a[1] (", "a[1] ("},
        /* No code. */
        {"// [] __device__ (", "// [] __device__ ("},
        {"/* [] __device__ ( */", "/* [] __device__ ( */"},
        {"/* [] __device__ (", "/* [] __device__ ("},
        {"\"[] __device__ (\\\"[] __device__ (\"", "\"[] __device__ (\\\"[] __device__ (\""},
        {"\"[] __device__ (", "\"[] __device__ ("},
        {"R\"x([] __device__ (\")x\"", "R\"x([] __device__ (\")x\""},
        {"R\"([] __device__ (", "R\"([] __device__ ("},
        {"']' '\\'' 1'000 [] __device__ ()", "']' '\\'' 1'000 []            ()"},
        {"\"\\", "\"\\"},
        {"'", "'"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *source = strdup(cases[i].source);
        assert_non_null(source);
        lambda_annotations_blank(source);
        assert_string_equal(source, cases[i].expected);
        free(source);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blanks_annotations_of_lambdas_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
