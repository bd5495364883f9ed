/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "show/natural_order.h"

static void test_order(void **state)
{
    static const char *const names[] = {
        "",
        "007",
        "08",
        "8",
        "k",
        "k1",
        "k01x",
        "k2",
        "k2a",
        "k10",
        "k10b2",
        "k10b10",
        "k99999999999999999999998",
        "k99999999999999999999999",
        "ka",
        "l1",
        "t<2,3>",
        "t<2>",
        "t<10,2>",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
            int order = natural_order(names[i], names[j]);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
