/* SPDX-License-Identifier: Apache-2.0 */
/* Name expressions that a source need not declare. */
#include "unit.h"

#include "source/optional_names.h"

#include <stdlib.h>
#include <string.h>

static char *names[] = {"scale<float>", "ns::other<int, 3>", "&table", "plain"};
static const struct cbn_text_list all = {.items = names, .count = COUNT(names)};

/* As NVRTC 13.0 says it, and 12.0, which shows no line. */
static const char *const logs[] = {
    "__nv_name_map(3): error: identifier \"table\" is undefined\n"
    "  #pragma nv_mangled_name &table\n"
    "                           ^\n\n"
    "__nv_name_map(3): error: Error in parsing name expression for lowered name lookup. Input name "
    "expression "
    "was: \" & table\"\n"
    "  #pragma nv_mangled_name &table\n"
    "__nv_name_map(6): error: Error in parsing name expression for lowered name lookup. Input name "
    "expression "
    "was: \" ns :: other < int, 3 >\"\n"
    "2 errors detected in the compilation of \"a.cu\".\n",
    "__nv_name_map(6): error: Error in parsing name expression for lowered name lookup. Input name "
    "expression "
    "was: \" ns :: other < int, 3 >\"\n\n"
    "__nv_name_map(3): error: Error in parsing name expression for lowered name lookup. Input name "
    "expression "
    "was: \" & table\"\n\n",
};

static void leaves_out_what_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(logs); i++) {
        struct cbn_text_list kept = {0};
        bool refused = false;
        assert_int_equal(optional_names_keep(logs[i], &all, &kept, &refused), CUBINET_OK);
        assert_true(refused);
        assert_int_equal(kept.count, 2);
        assert_string_equal(kept.items[0], "scale<float>");
        assert_string_equal(kept.items[1], "plain");
        cbn_text_list_free(&kept);
    }
}

static void keeps_all_where_the_trouble_is_another(void **state)
{
    (void)state;
    struct cbn_text_list kept = {0};
    bool refused = true;
    assert_int_equal(optional_names_keep("a.cu(1): error: expected a \";\"\n", &all, &kept, &refused),
                     CUBINET_OK);
    assert_false(refused);
    assert_int_equal(kept.count, all.count);
    cbn_text_list_free(&kept);
}

static void names_keep_their_places(void **state)
{
    (void)state;
    static char *kept_names[] = {"scale<float>", "plain"};
    static const struct cbn_text_list kept = {.items = kept_names, .count = COUNT(kept_names)};
    static const char *const expected[] = {"_Z5scaleIfEvv", "", "", "_Z5plainv"};
    struct nvrtc_result result = {.lowered = calloc(2, sizeof(char *)), .lowered_count = 2};
    result.lowered[0] = strdup("_Z5scaleIfEvv");
    result.lowered[1] = strdup("_Z5plainv");
    assert_int_equal(optional_names_spread(&all, &kept, &result), CUBINET_OK);
    assert_int_equal(result.lowered_count, COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++) {
        assert_string_equal(result.lowered[i], expected[i]);
    }
    nvrtc_result_free(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_out_what_is_refused),
        cmocka_unit_test(keeps_all_where_the_trouble_is_another),
        cmocka_unit_test(names_keep_their_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
