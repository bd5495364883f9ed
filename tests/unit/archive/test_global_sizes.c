/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "archive/global_sizes.h"

static const cubinet_image_info images[] = {
    {.target = {CUBINET_IMAGE_CUBIN, 80, 0}},
    {.target = {CUBINET_IMAGE_PTX, 90, 0}},
    {.target = {CUBINET_IMAGE_LTOIR, 90, 0}},
};

/* Variable 1, found with these sizes in the first two images; 0: not found. The third is LTO-IR, if there is
 * one. */
static uint64_t settle(uint64_t in_first, uint64_t in_second, uint64_t recorded, size_t image_count)
{
    struct global_sizes sizes = {0};
    global_sizes_add(&sizes, (struct global_sighting){2, 90, 1000, 0});
    if (in_second) {
        global_sizes_add(&sizes, (struct global_sighting){1, 90, in_second, 0});
    }
    global_sizes_add(&sizes, (struct global_sighting){0, 80, 1000, 0});
    if (in_first) {
        global_sizes_add(&sizes, (struct global_sighting){1, 80, in_first, 0});
    }
    assert_false(sizes.failed);
    global_sizes_sort(&sizes);
    uint64_t size =
        global_sizes_settle(&sizes, 1, (struct global_facts){recorded, 0}, images, image_count).bytes;
    global_sizes_free(&sizes);
    return size;
}

static void largest_size_counts(void **state)
{
    (void)state;
    assert_int_equal(settle(16, 64, 64, 2), 64);
    assert_int_equal(settle(64, 16, 64, 2), 64);
    assert_int_equal(settle(16, 16, 64, 2), 16);
    assert_int_equal(settle(16, 16, 8, 2), 16);
    assert_int_equal(settle(16, 16, 0, 2), 16);
    assert_int_equal(settle(0, 16, 64, 2), 16);
}

static void what_no_image_has_stays_as_recorded(void **state)
{
    (void)state;
    assert_int_equal(settle(0, 0, 64, 2), 64);
    assert_int_equal(settle(0, 0, 0, 2), 0);
}

static void ltoir_may_have_a_larger_one_that_nobody_sees(void **state)
{
    (void)state;
    assert_int_equal(settle(16, 16, 64, 3), 16); /* the PTX is for the same compute capability */
    assert_int_equal(settle(16, 0, 64, 3), 64);
    assert_int_equal(settle(16, 0, 8, 3), 16);
}

/* Variable 1, found with these flags in the first two images; -1: not found. */
static uint32_t settle_flags(int in_first, int in_second, uint32_t recorded, size_t image_count)
{
    struct global_sizes sizes = {0};
    global_sizes_add(&sizes, (struct global_sighting){2, 90, 8, CUBINET_GLOBAL_MANAGED});
    if (in_second >= 0) {
        global_sizes_add(&sizes, (struct global_sighting){1, 90, 8, (uint32_t)in_second});
    }
    if (in_first >= 0) {
        global_sizes_add(&sizes, (struct global_sighting){1, 80, 8, (uint32_t)in_first});
    }
    assert_false(sizes.failed);
    global_sizes_sort(&sizes);
    uint32_t flags =
        global_sizes_settle(&sizes, 1, (struct global_facts){8, recorded}, images, image_count).flags;
    global_sizes_free(&sizes);
    return flags;
}

static void flags_of_every_image_count(void **state)
{
    (void)state;
    enum { CONSTANT = CUBINET_GLOBAL_CONSTANT, MANAGED = CUBINET_GLOBAL_MANAGED };
    assert_int_equal(settle_flags(0, 0, CONSTANT, 2), 0);
    assert_int_equal(settle_flags(CONSTANT, 0, 0, 2), CONSTANT);
    assert_int_equal(settle_flags(CONSTANT, MANAGED, 0, 2), CONSTANT | MANAGED);
    assert_int_equal(settle_flags(CONSTANT, -1, MANAGED, 2), CONSTANT);
    assert_int_equal(settle_flags(-1, -1, MANAGED, 2), MANAGED);
    assert_int_equal(settle_flags(CONSTANT, 0, MANAGED, 3), CONSTANT); /* the PTX is as the LTO-IR */
    assert_int_equal(settle_flags(CONSTANT, -1, MANAGED, 3), CONSTANT | MANAGED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(largest_size_counts),
        cmocka_unit_test(flags_of_every_image_count),
        cmocka_unit_test(what_no_image_has_stays_as_recorded),
        cmocka_unit_test(ltoir_may_have_a_larger_one_that_nobody_sees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
