/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <cubinet/target.h>

#include <stdlib.h>
#include <string.h>

static void reads_and_writes_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        cubinet_target target;
    } cases[] = {
        {"sm_10", {CUBINET_IMAGE_CUBIN, 10, 0}},           {"sm_90a", {CUBINET_IMAGE_CUBIN, 90, 'a'}},
        {"sm_100f", {CUBINET_IMAGE_CUBIN, 100, 'f'}},      {"compute_80", {CUBINET_IMAGE_PTX, 80, 0}},
        {"compute_121a", {CUBINET_IMAGE_PTX, 121, 'a'}},   {"lto_75", {CUBINET_IMAGE_LTOIR, 75, 0}},
        {"compute_9999f", {CUBINET_IMAGE_PTX, 9999, 'f'}}, {"tile_133", {CUBINET_IMAGE_TILEIR, 133, 0}},
        {"optix_75", {CUBINET_IMAGE_OPTIXIR, 75, 0}},      {"optix_90a", {CUBINET_IMAGE_OPTIXIR, 90, 'a'}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        cubinet_target target = {0};
        assert_int_equal(cubinet_target_parse(cases[i].name, &target), CUBINET_OK);
        assert_int_equal(target.kind, cases[i].target.kind);
        assert_int_equal(target.number, cases[i].target.number);
        assert_int_equal(target.suffix, cases[i].target.suffix);
        char name[CUBINET_TARGET_NAME_SIZE];
        assert_string_equal(cubinet_target_name(target, name), cases[i].name);
    }
}

static void refuses_what_is_no_name(void **state)
{
    (void)state;
    static const char *const names[] = {
        "",          "sm",
        "sm_",       "sm_9",
        "sm_090",    "sm_0",
        "sm_10000",  "sm_90b",
        "sm_90aa",   "sm_90 ",
        " sm_90",    "SM_90",
        "sm_-90",    "sm_+90",
        "sm_9x",     "compute_",
        "compute80", "lto_a",
        "90",        "90a",
        "sm_90a,",   "sm_99999999999999999999",
        "tile_133a", "tile_133f",
        "tile_",     "optix",
    };
    for (size_t i = 0; i < COUNT(names); i++) {
        cubinet_target target = {CUBINET_IMAGE_PTX, 42, 'f'};
        assert_int_equal(cubinet_target_parse(names[i], &target), CUBINET_ERROR_INVALID_ARGUMENT);
        assert_int_equal(target.number, 42); /* untouched */
        assert_non_null(strstr(cubinet_error_message(), names[i]));
    }
    cubinet_target target;
    assert_int_equal(cubinet_target_parse(NULL, &target), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_target_parse("sm_90", NULL), CUBINET_ERROR_INVALID_ARGUMENT);
}

static void names_invalid_targets_so(void **state)
{
    (void)state;
    static const cubinet_target targets[] = {
        {(cubinet_image_kind)0, 90, 0},     {(cubinet_image_kind)6, 90, 0},   {CUBINET_IMAGE_CUBIN, 9, 0},
        {CUBINET_IMAGE_CUBIN, 10000, 0},    {CUBINET_IMAGE_CUBIN, -90, 0},    {CUBINET_IMAGE_CUBIN, 90, 'b'},
        {(cubinet_image_kind)255, 90, 'a'}, {CUBINET_IMAGE_TILEIR, 133, 'a'},
    };
    for (size_t i = 0; i < COUNT(targets); i++) {
        char name[CUBINET_TARGET_NAME_SIZE];
        assert_string_equal(cubinet_target_name(targets[i], name), "invalid");
    }
    const cubinet_target valid = {CUBINET_IMAGE_CUBIN, 90, 0};
    assert_string_equal(cubinet_target_name(valid, NULL), "invalid"); /* there is no place for the name */
}

static void orders_by_kind_number_suffix(void **state)
{
    (void)state;
    static const char *const ordered[] = {"sm_75",    "sm_90",      "sm_90a",      "sm_100",   "sm_100a",
                                          "sm_100f",  "compute_50", "compute_100", "lto_75",   "lto_75a",
                                          "tile_131", "tile_133",   "optix_75",    "optix_75a"};
    for (size_t i = 0; i < COUNT(ordered); i++) {
        for (size_t j = 0; j < COUNT(ordered); j++) {
            cubinet_target a, b;
            assert_int_equal(cubinet_target_parse(ordered[i], &a), CUBINET_OK);
            assert_int_equal(cubinet_target_parse(ordered[j], &b), CUBINET_OK);
            int order = cubinet_target_compare(a, b);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_and_writes_names),
        cmocka_unit_test(refuses_what_is_no_name),
        cmocka_unit_test(names_invalid_targets_so),
        cmocka_unit_test(orders_by_kind_number_suffix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
