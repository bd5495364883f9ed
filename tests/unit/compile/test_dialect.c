/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/dialect.h"
#include "unit.h"

static void tells_designators_by_where_the_caret_is(void **state)
{
    (void)state;
    assert_true(dialect_is_refused("a.cu(3): error: expected an expression\n"
                                   "  \tcab_store cab = {.data = 0};\n"
                                   "  \t                 ^\n"));
    assert_true(
        dialect_is_refused("a.cu(1): error: expected an expression\n  x = ;\n      ^\n\n"
                           "a.cu(3): error: expected an expression\n  s = {1, ._b = 0};\n          ^\n"));
    assert_true(dialect_is_refused("a.cu(3): error: a lambda is not allowed in an unevaluated expression\n"));
    assert_false(dialect_is_refused("a.cu(1): error: expected an expression\n  x = ;\n      ^\n"));
    assert_false(dialect_is_refused("a.cu(1): error: expected an expression\n  x = .5 + .;\n           ^\n"));
    assert_false(dialect_is_refused("a.cu(1): error: expected an expression"));
    assert_false(dialect_is_refused("a.cu(1): error: expected an expression\n\n^"));
    assert_false(dialect_is_refused(""));
}

static void keeps_the_dialect_that_headers_ask_for(void **state)
{
    (void)state;
    struct cbn_text_list options = {0};
    assert_int_equal(cbn_text_list_add(&options, "-G"), CUBINET_OK);
    assert_int_equal(cbn_text_list_add(&options, "-std=c++14"), CUBINET_OK);
    assert_int_equal(dialect_raise(&options), CUBINET_OK);
    assert_int_equal(options.count, 3);
    assert_string_equal(options.items[1], "-std=c++20");
    assert_string_equal(options.items[2], "-D__cplusplus=201402L");
    cbn_text_list_free(&options);
}

static void takes_cxx17_where_none_is_asked_for(void **state)
{
    (void)state;
    struct cbn_text_list options = {0};
    assert_int_equal(dialect_raise(&options), CUBINET_OK);
    assert_string_equal(options.items[0], "-std=c++20");
    assert_string_equal(options.items[1], "-D__cplusplus=201703L");
    cbn_text_list_free(&options);
}

static void renews_what_headers_find_too_old(void **state)
{
    (void)state;
    struct cbn_text_list options = {0};
    assert_true(dialect_is_too_old(
        "cpp_dialect.h(40): fatal error: #error directive: libcu++ requires at least C++ 17. "
        "Define CCCL_IGNORE_DEPRECATED_CPP_DIALECT to suppress this message.\n"));
    assert_false(dialect_is_too_old("a.cu(1): error: libcu++ is not here\n"));
    assert_int_equal(cbn_text_list_add(&options, "-std=c++14"), CUBINET_OK);
    assert_int_equal(dialect_renew(&options), CUBINET_OK);
    assert_int_equal(options.count, 1);
    assert_string_equal(options.items[0], "-std=c++17");
    cbn_text_list_free(&options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_designators_by_where_the_caret_is),
        cmocka_unit_test(keeps_the_dialect_that_headers_ask_for),
        cmocka_unit_test(renews_what_headers_find_too_old),
        cmocka_unit_test(takes_cxx17_where_none_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
