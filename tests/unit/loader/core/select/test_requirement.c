/* SPDX-License-Identifier: Apache-2.0 */
/* Which versions of an archive meet a program's requirement. */
#include "loader/core/select/requirement.h"
#include "unit.h"

#include <string.h>

struct row {
    const char *requirement;
    const char *version;
    cubinet_status status;
};

static const struct row rows[] = {
    {">= 1.4, < 2", "1.4", CUBINET_OK},
    {">= 1.4, < 2", "1.4.0", CUBINET_OK},
    {">= 1.4, < 2", "1.10", CUBINET_OK},
    {">= 1.4, < 2", "1.99.99.99", CUBINET_OK},
    {">= 1.4, < 2", "1.3.9", CUBINET_ERROR_OTHER_VERSION},
    {">= 1.4, < 2", "2", CUBINET_ERROR_OTHER_VERSION},
    {">= 1.4, < 2", "2.0.0", CUBINET_ERROR_OTHER_VERSION},
    {">= 1.4, < 2", "2.0.0-rc1", CUBINET_OK},
    {">=1.4,<2", "1.4", CUBINET_OK},
    {"  >=  1.4  ,  <  2  ", "1.4", CUBINET_OK},
    {">= 1.4", "1.4.0-rc1", CUBINET_ERROR_OTHER_VERSION},
    {">= 1.4-rc1", "1.4-rc1", CUBINET_OK},
    {">= 1.4-rc2", "1.4-rc1", CUBINET_ERROR_OTHER_VERSION},
    {">= 1.4-rc", "1.4-rc1", CUBINET_OK},
    {"== 1.4", "1.4.0", CUBINET_OK},
    {"== 1.4", "01.04", CUBINET_OK},
    {"== 1.4", "1.4.1", CUBINET_ERROR_OTHER_VERSION},
    {"!= 1.4", "1.4.0", CUBINET_ERROR_OTHER_VERSION},
    {"!= 1.4", "1.5", CUBINET_OK},
    {"> 1.4", "1.4.0", CUBINET_ERROR_OTHER_VERSION},
    {"> 1.4", "1.4.0.1", CUBINET_OK},
    {"<= 1.4", "1.4", CUBINET_OK},
    {"<= 1.4", "1.5", CUBINET_ERROR_OTHER_VERSION},
    {">= 99999999999999999999998", "99999999999999999999999", CUBINET_OK},
    {">= 1", "", CUBINET_ERROR_OTHER_VERSION},
    {">= 1", "nightly", CUBINET_ERROR_OTHER_VERSION},
    {">= 1", "2 beta", CUBINET_ERROR_OTHER_VERSION},
    {">= 1", "2.", CUBINET_ERROR_OTHER_VERSION},
    {"", "1", CUBINET_ERROR_INVALID_ARGUMENT},
    {"1.4", "1.4", CUBINET_ERROR_INVALID_ARGUMENT},
    {">= 1.4,", "1.4", CUBINET_ERROR_INVALID_ARGUMENT},
    {">= 1.4 < 2", "1.4", CUBINET_ERROR_INVALID_ARGUMENT},
    {">= one", "1.4", CUBINET_ERROR_INVALID_ARGUMENT},
    {">= 1..2", "1.4", CUBINET_ERROR_INVALID_ARGUMENT},
    {">= 1-", "1.4", CUBINET_ERROR_INVALID_ARGUMENT},
    {"~> 1", "1.4", CUBINET_ERROR_INVALID_ARGUMENT},
    {">= 3, nonsense", "1.4", CUBINET_ERROR_INVALID_ARGUMENT}, /* wrong whatever the version */
};

static void test_versions(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        cubinet_status status = cbn_requirement_check(rows[i].requirement, "'a.cubinet'", rows[i].version);
        if (status != rows[i].status) {
            fail_msg("'%s' of '%s': %d", rows[i].version, rows[i].requirement, (int)status);
        }
    }
}

static void test_messages(void **state)
{
    (void)state;
    cbn_requirement_check(">= 1.4, < 2", "'a.cubinet'", "2.1");
    assert_string_equal(cubinet_error_message(),
                        "'a.cubinet' has version 2.1, and this program requires >= 1.4, < 2");
    cbn_requirement_check(">= 1.4", "'a.cubinet'", "nightly");
    assert_string_equal(
        cubinet_error_message(),
        "'a.cubinet' has version nightly, which is not a number, and this program requires >= 1.4");
    cbn_requirement_check(">= 1.4", "'a.cubinet'", "");
    assert_string_equal(cubinet_error_message(),
                        "'a.cubinet' has no version, and this program requires >= 1.4: give it one with "
                        "`cubinet pack --archive-version`");
    cbn_requirement_check("1.4", "'a.cubinet'", "1");
    assert_string_equal(cubinet_error_message(),
                        "'1.4' is not a requirement of a version; write one such as \">= 1.4, < 2\"");
}

/* Ascending, but for those that are equal to the one before. */
static const struct {
    const char *version;
    int is_equal;
} ordered[] = {
    {"", 0},        {"nightly", 1}, {"1..2", 1},    {"1.4.", 1},  {"0", 0},     {"0.9", 0},
    {"1.4-rc1", 0}, {"1.4-rc2", 0}, {"1.4", 0},     {"1.4.0", 1}, {"01.04", 1}, {"1.4.1", 0},
    {"1.10", 0},    {"2-a", 0},     {"2.0.0-b", 0}, {"2", 0},
};

static void test_order(void **state)
{
    (void)state;
    int rank[COUNT(ordered)] = {0};
    for (size_t i = 1; i < COUNT(ordered); i++) {
        rank[i] = rank[i - 1] + !ordered[i].is_equal;
    }
    for (size_t i = 0; i < COUNT(ordered); i++) {
        for (size_t j = 0; j < COUNT(ordered); j++) {
            int order = cbn_version_compare(ordered[i].version, ordered[j].version);
            assert_int_equal((order > 0) - (order < 0), (rank[i] > rank[j]) - (rank[i] < rank[j]));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
