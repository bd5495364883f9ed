/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "image/contents.h"

#include <stdio.h>
#include <string.h>

static void a_new_kernel_has_nothing_known(void **state)
{
    (void)state;
    struct contents contents = {0};
    struct contents_kernel *kernel = contents_add_kernel(&contents, "scale_and_more", strlen("scale"));
    assert_non_null(kernel);
    assert_string_equal(kernel->name, "scale");
    assert_int_equal(kernel->resources.size, sizeof(cubinet_kernel_resources));
    assert_int_equal(kernel->resources.registers, CUBINET_UNKNOWN);
    assert_int_equal(kernel->resources.static_shared_bytes, CUBINET_UNKNOWN);
    assert_int_equal(kernel->resources.local_bytes, CUBINET_UNKNOWN);
    assert_int_equal(kernel->resources.spill_store_bytes, CUBINET_UNKNOWN);
    assert_int_equal(kernel->resources.spill_load_bytes, CUBINET_UNKNOWN);
    assert_int_equal(kernel->resources.barriers, CUBINET_UNKNOWN);
    assert_int_equal(kernel->resources.constant_bytes, CUBINET_UNKNOWN);
    assert_int_equal(kernel->resources.max_threads_per_block, CUBINET_UNKNOWN);
    assert_int_equal(kernel->resources.max_block[0], 0);
    assert_int_equal(kernel->resources.min_blocks, 0);
    assert_int_equal(kernel->resources.param_count, 0);
    assert_null(kernel->resources.params);
    contents_free(&contents);
    assert_null(contents.kernels);
    assert_int_equal(contents.kernel_count, 0);
}

static void params_stay_with_their_kernel(void **state)
{
    (void)state;
    struct contents contents = {0};
    struct contents_kernel *kernel = contents_add_kernel(&contents, "k", 1);
    assert_non_null(kernel);
    for (uint32_t i = 0; i < 100; i++) {
        cubinet_param *param = contents_add_param(kernel);
        assert_non_null(param);
        assert_int_equal(param->size, 0);
        *param = (cubinet_param){.offset = i * 4, .size = 4};
    }
    assert_int_equal(kernel->resources.param_count, 100);
    assert_ptr_equal(kernel->resources.params, kernel->params);
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(kernel->params[i].offset, i * 4);
    }
    contents_free(&contents);
}

static void sorting_is_by_bytes(void **state)
{
    (void)state;
    static const char *const names[] = {"b", "\xc3\xa9", "ab", "B", "a", "b2"};
    static const char *const sorted[] = {"B", "a", "ab", "b", "b2", "\xc3\xa9"};
    struct contents contents = {0};
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_non_null(contents_add_kernel(&contents, names[i], strlen(names[i])));
        assert_non_null(contents_add_global(&contents, names[i], strlen(names[i])));
    }
    contents_sort(&contents);
    for (size_t i = 0; i < COUNT(sorted); i++) {
        assert_string_equal(contents.kernels[i].name, sorted[i]);
        assert_string_equal(contents.globals[i].name, sorted[i]);
    }
    contents_free(&contents);
}

static void there_is_room_for_many(void **state)
{
    (void)state;
    struct contents contents = {0};
    char name[16];
    for (int i = 999; i >= 0; i--) {
        int length = snprintf(name, sizeof(name), "k%03d", i);
        assert_non_null(contents_add_kernel(&contents, name, (size_t)length));
    }
    contents_sort(&contents);
    assert_int_equal(contents.kernel_count, 1000);
    assert_string_equal(contents.kernels[0].name, "k000");
    assert_string_equal(contents.kernels[999].name, "k999");
    contents_free(&contents);
}

static void freeing_nothing_is_fine(void **state)
{
    (void)state;
    struct contents contents = {0};
    contents_sort(&contents);
    contents_free(&contents);
    contents_free(&contents);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_kernel_has_nothing_known),
        cmocka_unit_test(params_stay_with_their_kernel),
        cmocka_unit_test(sorting_is_by_bytes),
        cmocka_unit_test(there_is_room_for_many),
        cmocka_unit_test(freeing_nothing_is_fine),
    };
    return cmocka_run_group_tests_name("contents", tests, NULL, NULL);
}
