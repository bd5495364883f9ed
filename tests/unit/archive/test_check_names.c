/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions that stand with another's lowered name, and how many names are compared. */
#include "archive/check_names.h"
#include "unit.h"

static const char strings[] = "\0a\0b\0scan"; /* at 1, 3 and 5 */

/* Two kernels with these expressions, given by their places. What is left is what is not compared. */
static size_t count_problems(uint32_t of_a, uint32_t of_b, uint64_t *io_left)
{
    unsigned char rows[2][CBN_KERNEL_SIZE] = {0};
    const uint32_t expressions[2] = {of_a, of_b};
    for (uint32_t i = 0; i < 2; i++) {
        cbn_put32(rows[i] + CBN_KERNEL_NAME, 1 + 2 * i);
        cbn_put32(rows[i] + CBN_KERNEL_EXPRESSION, expressions[i]);
    }
    const struct cbn_block block = {
        .strings = {.rows = (const unsigned char *)strings, .stride = 1, .count = sizeof(strings)},
        .kernels = {.rows = rows[0], .stride = CBN_KERNEL_SIZE, .count = 2},
    };
    const struct listing_module module = {.name = "m"};
    struct problems problems = {0};
    check_names(&block, &module, io_left, &problems);
    size_t count = problems.count;
    problems_free(&problems);
    return count;
}

static void expressions_of_others_are_found(void **state)
{
    (void)state;
    uint64_t left = CHECK_NAMES_MOST;
    assert_int_equal(count_problems(1, 3, &left), 0);
    assert_int_equal(count_problems(0, 0, &left), 0);
    assert_true(left == CHECK_NAMES_MOST); /* none is looked for */
    assert_int_equal(count_problems(5, 5, &left), 0);
    assert_in_range(left, CHECK_NAMES_MOST - 1000, CHECK_NAMES_MOST - 4 * 6); /* each with each */
    assert_int_equal(count_problems(3, 1, &left), 2);
}

/* Whatever tables and modules the names are in. */
static void an_archive_has_one_budget(void **state)
{
    (void)state;
    uint64_t left = 200;
    assert_int_equal(count_problems(3, 1, &left), 2);
    assert_int_equal(count_problems(3, 1, &left), 1);
    assert_int_equal(count_problems(3, 1, &left), 0);
    assert_true(left == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_of_others_are_found),
        cmocka_unit_test(an_archive_has_one_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
