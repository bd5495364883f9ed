/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/support/nearest.h"
#include "unit.h"

#include <string.h>

static const char *find(const char *wanted, const char *const *names)
{
    struct cbn_nearest nearest;
    cbn_nearest_start(&nearest, wanted, strlen(wanted));
    for (; *names; names++) {
        cbn_nearest_offer(&nearest, *names);
    }
    return cbn_nearest_found(&nearest);
}

static void finds_what_was_meant(void **state)
{
    (void)state;
    static const char *const names[] = {
        "segmented_sum", "segmented_sort", "histogram", "segsum<float,int,256,4>", "x", NULL};
    static const struct {
        const char *wanted;
        const char *name;
    } cases[] = {
        {"segmented_sum", "segmented_sum"},
        {"segmented_sums", "segmented_sum"},
        {"Segmented_Sum", "segmented_sum"},
        {"segmented_srot", "segmented_sort"},
        {"histogam", "histogram"},
        {"hist", "histogram"},
        {"segsum", "segsum<float,int,256,4>"},
        {"segsum<float,int,128,4>", "segsum<float,int,256,4>"},
        {"y", NULL},
        {"a name like none of them", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *found = find(cases[i].wanted, names);
        if (cases[i].name) {
            assert_non_null(found);
            assert_string_equal(found, cases[i].name);
        } else {
            assert_null(found);
        }
    }
}

static void finds_nothing_among_nothing(void **state)
{
    (void)state;
    static const char *const none[] = {NULL};
    assert_null(find("anything", none));
}

static void bears_long_names(void **state)
{
    (void)state;
    char longer[2000], other[2000];
    memset(longer, 'a', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    memcpy(other, longer, sizeof(other));
    other[10] = 'b';
    const char *const names[] = {"short", other, NULL};
    assert_ptr_equal(find(longer, names), other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_was_meant),
        cmocka_unit_test(finds_nothing_among_nothing),
        cmocka_unit_test(bears_long_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
