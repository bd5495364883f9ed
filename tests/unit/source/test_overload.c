/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels named with their parameters. */
#include "unit.h"

#include "source/overload.h"

#include <stdlib.h>

static const struct {
    const char *expression;
    const char *cast;
} cases[] = {
    {"k(int, float *)", "static_cast<void (*)(int, float *)>(k)"},
    {"n::k<(kind)1, f(2)>(void (*)(int)) ", "static_cast<void (*)(void (*)(int))>(n::k<(kind)1, f(2)>)"},
    {"k<3> ()", "static_cast<void (*)()>(k<3>)"},
    {"k<(kind)1>", "k<(kind)1>"},
    {"k", "k"},
    {"", ""},
    {"&k", "&k"},
    {"(k)", "(k)"},
    {"k)", "k)"},
    {"((k", "((k"},
    {"(void (*)(int))(k)", "(void (*)(int))(k)"},
    {"static_cast<void (*)(int)>(k)", "static_cast<void (*)(int)>(k)"},
};

static void casts_what_has_parameters(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *made = NULL;
        assert_int_equal(overload_cast(cases[i].expression, &made), CUBINET_OK);
        assert_string_equal(made, cases[i].cast);
        free(made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(casts_what_has_parameters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
