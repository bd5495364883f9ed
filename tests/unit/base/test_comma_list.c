/* SPDX-License-Identifier: Apache-2.0 */
#include "base/comma_list.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

typedef cubinet_status split_fn(const char *text, struct cbn_text_list *out_values);

/* The values with '|' between. */
static void assert_split(split_fn *split, const char *text, const char *expected)
{
    struct cbn_text_list values = {0};
    char joined[256] = "";
    assert_int_equal(split(text, &values), CUBINET_OK);
    for (size_t i = 0; i < values.count; i++) {
        size_t used = strlen(joined);
        snprintf(joined + used, sizeof(joined) - used, "%s%s", i ? "|" : "", values.items[i]);
    }
    assert_string_equal(joined, expected);
    cbn_text_list_free(&values);
}

static void splits_at_commas(void **state)
{
    (void)state;
    assert_split(comma_list_split, "", "");
    assert_split(comma_list_split, ",", "");
    assert_split(comma_list_split, "a", "a");
    assert_split(comma_list_split, "a,,b,", "a|b");
    assert_split(comma_list_split, "a\\,b,c", "a,b|c");
    assert_split(comma_list_split, "a\\b\\", "a\\b\\");
}

static void leaves_paths_that_are_there_whole(void **state)
{
    (void)state;
    assert_split(comma_list_split_paths, "/dev/null", "/dev/null");
    assert_split(comma_list_split_paths, "/no,/where", "/no|/where");
}

static void leaves_commas_in_the_values_of_macros(void **state)
{
    (void)state;
    assert_split(comma_list_split_macros, "X", "X");
    assert_split(comma_list_split_macros, "X,Y", "X|Y");
    assert_split(comma_list_split_macros, "X,Y=1", "X|Y=1");
    assert_split(comma_list_split_macros, "X=1,Y=2", "X=1|Y=2");
    assert_split(comma_list_split_macros, "X=1,2", "X=1,2");
    assert_split(comma_list_split_macros, "X=1,y", "X=1,y");
    assert_split(comma_list_split_macros, "X=f(1,2),Y=3", "X=f(1,2)|Y=3");
    assert_split(comma_list_split_macros, "X(a,b)=a+b", "X(a,b)=a+b");
    assert_split(comma_list_split_macros, "X=1\\,Y=2", "X=1,Y=2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_at_commas),
        cmocka_unit_test(leaves_paths_that_are_there_whole),
        cmocka_unit_test(leaves_commas_in_the_values_of_macros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
