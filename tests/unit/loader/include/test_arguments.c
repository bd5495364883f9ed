/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments as other systems' compilers lay them out. */
#include "unit.h"

#include <cubinet/arguments.h>

static void structs_have_the_layout_of_the_systems(void **state)
{
    (void)state;
    assert_int_equal(sizeof(cubinet_warp_bounds2), 24); /* as the cubins' parameters have it */
    assert_int_equal(sizeof(cubinet_warp_bounds4), 32);
    assert_int_equal(sizeof(cubinet_warp_array), 56);
    assert_int_equal(offsetof(cubinet_warp_bounds2, size), 8);
    assert_int_equal(offsetof(cubinet_warp_bounds4, size), 16);
    assert_int_equal(offsetof(cubinet_warp_array, shape), 16);
    assert_int_equal(offsetof(cubinet_warp_array, strides), 32);
    assert_int_equal(offsetof(cubinet_warp_array, dimensions), 48);
}

static void bounds_count_threads(void **state)
{
    (void)state;
    cubinet_warp_bounds2 line = cubinet_warp_bounds(1000, 0, 1);
    assert_int_equal(line.shape[0], 1000);
    assert_int_equal(line.size, 1000);
    cubinet_warp_bounds2 tiles = cubinet_warp_bounds(3, 5, 256);
    assert_int_equal(tiles.shape[1], 5);
    assert_int_equal(tiles.size, 3 * 5 * 256);
    assert_int_equal(tiles.per_coord, 256);
}

static void dense_arrays_have_strides_in_bytes(void **state)
{
    (void)state;
    cubinet_warp_array line = cubinet_warp_dense(0x1000, 4, 10, 0);
    assert_int_equal(line.strides[0], 4);
    assert_int_equal(line.dimensions, 1);
    assert_int_equal(line.shape[1], 0);
    cubinet_warp_array matrix = cubinet_warp_dense(0x1000, 4, 10, 20);
    assert_int_equal(matrix.data, 0x1000);
    assert_int_equal(matrix.strides[0], 80);
    assert_int_equal(matrix.strides[1], 4);
    assert_int_equal(matrix.dimensions, 2);
}

static void an_array_of_numbas_is_seven_arguments(void **state)
{
    (void)state;
    static const uint64_t expected[] = {0, 0, 10, 4, 0x1000, 10, 4};
    cubinet_numba_array1 array = cubinet_numba_dense1(0x1000, 4, 10);
    cubinet_arg args[CUBINET_NUMBA_ARRAY1_ARGS];
    assert_ptr_equal(cubinet_numba_array1_args(&array, args), args + CUBINET_NUMBA_ARRAY1_ARGS);
    for (size_t i = 0; i < COUNT(expected); i++) {
        assert_int_equal(*(const uint64_t *)args[i].value, expected[i]);
        assert_int_equal(args[i].size, sizeof(uint64_t));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structs_have_the_layout_of_the_systems),
        cmocka_unit_test(bounds_count_threads),
        cmocka_unit_test(dense_arrays_have_strides_in_bytes),
        cmocka_unit_test(an_array_of_numbas_is_seven_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
