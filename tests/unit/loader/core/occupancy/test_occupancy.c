/* SPDX-License-Identifier: Apache-2.0 */
/* Occupancy without a GPU: known answers, limits of block sizes, and what callers do wrong. */
#include "unit.h"

#include <cubinet/occupancy.h>

#include <string.h>

static cubinet_device_limits limits_of(int number)
{
    cubinet_device_limits limits = {.size = sizeof(limits)};
    assert_int_equal(cubinet_device_limits_of_compute(number / 10, number % 10, &limits), CUBINET_OK);
    return limits;
}

static cubinet_kernel_resources kernel_of(uint32_t registers, uint32_t static_shared_bytes)
{
    return (cubinet_kernel_resources){
        .size = sizeof(cubinet_kernel_resources),
        .registers = registers,
        .static_shared_bytes = static_shared_bytes,
        .max_threads_per_block = 1024,
    };
}

static cubinet_occupancy compute(int number, const cubinet_kernel_resources *resources,
                                 uint32_t block_threads, uint32_t dynamic_shared_bytes)
{
    const cubinet_device_limits limits = limits_of(number);
    cubinet_occupancy occupancy = {.size = sizeof(occupancy)};
    assert_int_equal(
        cubinet_occupancy_compute(&limits, resources, block_threads, dynamic_shared_bytes, &occupancy),
        CUBINET_OK);
    return occupancy;
}

static void test_known_answers(void **state)
{
    (void)state;
    static const struct {
        int number;
        uint32_t registers, shared, dynamic, block;
        uint32_t blocks;
        uint32_t limiters;
    } cases[] = {
        /* Warps alone; then with registers at the same number. */
        {90, 16, 0, 0, 256, 8, CUBINET_LIMITER_WARPS},
        {90, 32, 0, 0, 256, 8, CUBINET_LIMITER_WARPS | CUBINET_LIMITER_REGISTERS},
        /* 33 registers are allocated as 40. */
        {90, 33, 0, 0, 256, 6, CUBINET_LIMITER_REGISTERS},
        {90, 255, 0, 0, 256, 1, CUBINET_LIMITER_REGISTERS},
        {90, 255, 0, 0, 288, 0, CUBINET_LIMITER_REGISTERS},
        {90, 16, 0, 0, 32, 32, CUBINET_LIMITER_BLOCKS},
        {75, 16, 0, 0, 32, 16, CUBINET_LIMITER_BLOCKS},
        {89, 16, 0, 0, 32, 24, CUBINET_LIMITER_BLOCKS},
        /* 48 KiB and the reserved 1 KiB: 4 × 49 of 228 KiB. */
        {90, 16, 48 << 10, 0, 32, 4, CUBINET_LIMITER_SHARED_MEMORY},
        {90, 16, 0, 227 << 10, 32, 1, CUBINET_LIMITER_SHARED_MEMORY},
        {90, 16, 0, (227 << 10) + 1, 32, 0, CUBINET_LIMITER_SHARED_MEMORY},
        {86, 16, 1024, 98 << 10, 32, 1, CUBINET_LIMITER_SHARED_MEMORY},
        {86, 16, 1024, (98 << 10) + 1, 32, 0, CUBINET_LIMITER_SHARED_MEMORY},
        {61, 16, 0, 48 << 10, 32, 2, CUBINET_LIMITER_SHARED_MEMORY},
        /* 10.7 has 328 KiB; 6 × 48 KiB and what is reserved. */
        {107, 16, 48 << 10, 0, 32, 6, CUBINET_LIMITER_SHARED_MEMORY},
        {107, 16, 0, 327 << 10, 32, 1, CUBINET_LIMITER_SHARED_MEMORY},
        {107, 64, 0, 0, 256, 4, CUBINET_LIMITER_WARPS | CUBINET_LIMITER_REGISTERS},
        /* A kernel that needs nothing. */
        {70, 0, 0, 0, 1024, 2, CUBINET_LIMITER_WARPS},
        {90, 16, 0, 0, 1025, 0, CUBINET_LIMITER_BLOCK_SIZE},
        {90, 16, 0, 0, UINT32_MAX, 0, CUBINET_LIMITER_BLOCK_SIZE},
        {90, 16, 0, UINT32_MAX, 32, 0, CUBINET_LIMITER_SHARED_MEMORY},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const cubinet_kernel_resources resources = kernel_of(cases[i].registers, cases[i].shared);
        cubinet_occupancy occupancy = compute(cases[i].number, &resources, cases[i].block, cases[i].dynamic);
        if (occupancy.active_blocks_per_multiprocessor != cases[i].blocks ||
            occupancy.limiters != cases[i].limiters) {
            print_error("case %zu: %u blocks, limiters %u\n", i, occupancy.active_blocks_per_multiprocessor,
                        occupancy.limiters);
            fail();
        }
    }
}

/* 9.0 and 10.0 have two for each block that a multiprocessor can hold, newer ones have one, and before 9.0
 * they do not limit. */
static void test_named_barriers(void **state)
{
    (void)state;
    static const struct {
        int number;
        uint32_t barriers, block, limit, blocks;
        uint32_t limiters;
    } cases[] = {
        {90, 0, 32, UINT32_MAX, 32, CUBINET_LIMITER_BLOCKS},
        {90, 1, 32, 64, 32, CUBINET_LIMITER_BLOCKS},
        {90, 2, 32, 32, 32, CUBINET_LIMITER_BLOCKS | CUBINET_LIMITER_BARRIERS},
        {90, 3, 32, 21, 21, CUBINET_LIMITER_BARRIERS},
        {90, 16, 32, 4, 4, CUBINET_LIMITER_BARRIERS},
        {90, 16, 512, 4, 4, CUBINET_LIMITER_WARPS | CUBINET_LIMITER_BARRIERS},
        {90, 16, 1024, 4, 2, CUBINET_LIMITER_WARPS},
        {90, CUBINET_UNKNOWN, 32, UINT32_MAX, 32, CUBINET_LIMITER_BLOCKS},
        {100, 5, 32, 12, 12, CUBINET_LIMITER_BARRIERS},
        {103, 5, 32, 6, 6, CUBINET_LIMITER_BARRIERS},
        {107, 5, 32, 3, 3, CUBINET_LIMITER_BARRIERS},
        {120, 1, 32, 24, 24, CUBINET_LIMITER_BLOCKS | CUBINET_LIMITER_BARRIERS},
        {121, 16, 32, 1, 1, CUBINET_LIMITER_BARRIERS},
        {89, 16, 32, UINT32_MAX, 24, CUBINET_LIMITER_BLOCKS},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        cubinet_kernel_resources resources = kernel_of(16, 0);
        resources.barriers = cases[i].barriers;
        cubinet_occupancy occupancy = compute(cases[i].number, &resources, cases[i].block, 0);
        assert_int_equal(occupancy.block_limit_barriers, cases[i].limit);
        assert_int_equal(occupancy.active_blocks_per_multiprocessor, cases[i].blocks);
        assert_int_equal(occupancy.limiters, cases[i].limiters);
    }
}

/* A program that was compiled before barriers were recorded hands over a shorter struct. */
static void test_takes_the_shorter_struct(void **state)
{
    (void)state;
    cubinet_kernel_resources resources = kernel_of(16, 0);
    resources.barriers = 16;
    resources.size = offsetof(cubinet_kernel_resources, spill_store_bytes);
    assert_int_equal(compute(90, &resources, 32, 0).active_blocks_per_multiprocessor, 32);
}

static void test_tells_all_of_it(void **state)
{
    (void)state;
    const cubinet_kernel_resources resources = kernel_of(40, 2056);
    cubinet_occupancy occupancy = compute(90, &resources, 200, 100);
    assert_int_equal(occupancy.allocated_registers_per_block, 7 * 5 * 256);
    assert_int_equal(occupancy.allocated_shared_bytes_per_block, 3200);
    assert_int_equal(occupancy.block_limit_warps, 9);
    assert_int_equal(occupancy.block_limit_registers, 6);
    assert_int_equal(occupancy.block_limit_shared_memory, 72);
    assert_int_equal(occupancy.block_limit_blocks, 32);
    assert_int_equal(occupancy.active_blocks_per_multiprocessor, 6);
    assert_int_equal(occupancy.active_warps_per_multiprocessor, 42);
    assert_int_equal(occupancy.max_warps_per_multiprocessor, 64);
    assert_true(occupancy.occupancy == 42.0 / 64);
}

static void test_honours_what_the_kernel_was_compiled_for(void **state)
{
    (void)state;
    cubinet_kernel_resources resources = kernel_of(16, 0);
    resources.max_block[0] = 16;
    resources.max_block[1] = 8;
    assert_int_equal(compute(90, &resources, 128, 0).active_blocks_per_multiprocessor, 16);
    assert_int_equal(compute(90, &resources, 129, 0).limiters, CUBINET_LIMITER_BLOCK_SIZE);
    resources = kernel_of(16, 0);
    resources.required_block[0] = 96;
    assert_int_equal(compute(90, &resources, 96, 0).active_blocks_per_multiprocessor, 21);
    assert_int_equal(compute(90, &resources, 64, 0).limiters, CUBINET_LIMITER_BLOCK_SIZE);
    resources = kernel_of(16, 0);
    resources.max_threads_per_block = 256;
    assert_int_equal(compute(90, &resources, 288, 0).limiters, CUBINET_LIMITER_BLOCK_SIZE);
    resources.max_threads_per_block = CUBINET_UNKNOWN;
    resources.max_block[0] = CUBINET_UNKNOWN;
    resources.required_block[0] = CUBINET_UNKNOWN;
    assert_int_equal(compute(90, &resources, 1024, 0).active_blocks_per_multiprocessor, 2);
}

static uint32_t per_thread(uint32_t block_threads, void *user)
{
    return block_threads * *(const uint32_t *)user;
}

static void expect_block(const cubinet_kernel_resources *resources, const cubinet_block_size_options *options,
                         uint32_t threads, uint32_t blocks)
{
    const cubinet_device_limits limits = limits_of(90);
    uint32_t found = 12345;
    cubinet_occupancy occupancy = {.size = sizeof(occupancy)};
    assert_int_equal(cubinet_occupancy_max_block_size(&limits, resources, options, &found, &occupancy),
                     CUBINET_OK);
    assert_int_equal(found, threads);
    assert_int_equal(occupancy.active_blocks_per_multiprocessor, blocks);
}

static void test_finds_the_best_block_size(void **state)
{
    (void)state;
    cubinet_kernel_resources resources = kernel_of(16, 0);
    expect_block(&resources, NULL, 1024, 2);
    cubinet_block_size_options options = {.size = sizeof(options), .max_block_threads = 500};
    expect_block(&resources, &options, 256, 8); /* 8 × 256 threads, more than 4 × 500 */
    resources = kernel_of(40, 0);
    expect_block(&resources, NULL, 768, 2);
    uint32_t bytes = 200;
    options = (cubinet_block_size_options){
        .size = sizeof(options), .dynamic_shared_fn = per_thread, .dynamic_shared_user = &bytes};
    expect_block(&resources, &options, 576, 2); /* 115,200 bytes, twice; 384 threads thrice are no more */
    options = (cubinet_block_size_options){.size = sizeof(options), .dynamic_shared_bytes = 100 << 10};
    expect_block(&resources, &options, 768, 2);
    resources.required_block[0] = 64;
    expect_block(&resources, NULL, 64, 24);
    options = (cubinet_block_size_options){.size = sizeof(options), .max_block_threads = 32};
    expect_block(&resources, &options, 0, 24);
    resources = kernel_of(16, 0);
    options = (cubinet_block_size_options){.size = sizeof(options), .dynamic_shared_bytes = 1 << 20};
    expect_block(&resources, &options, 0, 0);
}

static void test_tells_the_dynamic_shared_memory_that_is_left(void **state)
{
    (void)state;
    const cubinet_device_limits limits = limits_of(90);
    const cubinet_kernel_resources resources = kernel_of(32, 1000);
    static const struct {
        uint32_t blocks, bytes;
    } cases[] = {{1, (227 << 10) - 1000}, {2, (113 << 10) - 1000}, {3, 77824 - 2024}, {8, 29184 - 2024}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint32_t bytes = 0;
        assert_int_equal(
            cubinet_occupancy_available_dynamic_shared(&limits, &resources, cases[i].blocks, 256, &bytes),
            CUBINET_OK);
        assert_int_equal(bytes, cases[i].bytes);
        cubinet_occupancy occupancy = compute(90, &resources, 256, bytes);
        assert_true(occupancy.active_blocks_per_multiprocessor >= cases[i].blocks);
        occupancy = compute(90, &resources, 256, bytes + 128);
        assert_true(occupancy.active_blocks_per_multiprocessor < cases[i].blocks);
    }
    uint32_t bytes = 77;
    assert_int_equal(cubinet_occupancy_available_dynamic_shared(&limits, &resources, 9, 256, &bytes),
                     CUBINET_ERROR_LIMIT);
    assert_non_null(strstr(cubinet_error_message(), "holds 8 blocks of 256 threads"));
    assert_non_null(strstr(cubinet_error_message(), "registers, warps"));
    assert_int_equal(bytes, 77);
}

static void test_follows_a_carve_out(void **state)
{
    (void)state;
    cubinet_device_limits limits = limits_of(90);
    const cubinet_kernel_resources resources = kernel_of(16, 15 << 10);
    static const struct {
        int percent;
        uint32_t preferred, blocks;
    } cases[] = {{-1, 0, 14}, {100, 228 << 10, 14}, {50, 132 << 10, 8}, {10, 32 << 10, 2}, {0, 8 << 10, 1}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(cubinet_device_limits_prefer_shared(&limits, cases[i].percent), CUBINET_OK);
        assert_int_equal(limits.preferred_shared_bytes, cases[i].preferred);
        cubinet_occupancy occupancy = {.size = sizeof(occupancy)};
        assert_int_equal(cubinet_occupancy_compute(&limits, &resources, 128, 0, &occupancy), CUBINET_OK);
        assert_int_equal(occupancy.active_blocks_per_multiprocessor, cases[i].blocks);
    }
    assert_int_equal(cubinet_device_limits_prefer_shared(&limits, 101), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_device_limits_prefer_shared(&limits, -2), CUBINET_ERROR_INVALID_ARGUMENT);
}

static void test_knows_architectures(void **state)
{
    (void)state;
    int before = 0;
    for (size_t i = 0; i < cubinet_compute_count(); i++) {
        int number = cubinet_compute_number(i);
        assert_true(number > before);
        before = number;
        const cubinet_device_limits limits = limits_of(number);
        assert_int_equal(limits.compute_major * 10 + limits.compute_minor, number);
        assert_int_equal(limits.max_warps_per_multiprocessor * 32, limits.max_threads_per_multiprocessor);
        if (limits.shared_configuration_count) {
            assert_int_equal(limits.shared_configurations[limits.shared_configuration_count - 1],
                             limits.max_shared_bytes_per_multiprocessor);
        }
        assert_int_equal(limits.multiprocessor_count, 0);
    }
    assert_int_equal(cubinet_compute_number(cubinet_compute_count()), 0);
    cubinet_device_limits limits = {.size = sizeof(limits)};
    assert_int_equal(cubinet_device_limits_of_compute(9, 1, &limits), CUBINET_ERROR_NOT_FOUND);
    assert_non_null(strstr(cubinet_error_message(), "9.1 are not known"));
    assert_non_null(strstr(cubinet_error_message(), " 8.9 9.0 10.0"));
    assert_int_equal(cubinet_device_limits_of_compute(8, 10, &limits), CUBINET_ERROR_NOT_FOUND);
}

static void test_refuses_what_is_no_question(void **state)
{
    (void)state;
    cubinet_device_limits limits = limits_of(90);
    cubinet_kernel_resources resources = kernel_of(16, 0);
    cubinet_occupancy occupancy = {.size = sizeof(occupancy)};
    assert_int_equal(cubinet_occupancy_compute(NULL, &resources, 32, 0, &occupancy),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_occupancy_compute(&limits, NULL, 32, 0, &occupancy),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_occupancy_compute(&limits, &resources, 32, 0, NULL),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_occupancy_compute(&limits, &resources, 0, 0, &occupancy),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    resources.registers = CUBINET_UNKNOWN;
    assert_int_equal(cubinet_occupancy_compute(&limits, &resources, 32, 0, &occupancy),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(cubinet_error_message(), "machine code"));
    resources.registers = 16;
    limits = (cubinet_device_limits){.size = sizeof(limits)};
    assert_int_equal(cubinet_occupancy_compute(&limits, &resources, 32, 0, &occupancy),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(cubinet_error_message(), "not filled in"));
}

static void test_names_limiters(void **state)
{
    (void)state;
    char text[CUBINET_LIMITER_TEXT_SIZE];
    assert_string_equal(cubinet_occupancy_limiter_text(0, text), "");
    assert_string_equal(cubinet_occupancy_limiter_text(CUBINET_LIMITER_BLOCKS, NULL), "");
    assert_string_equal(cubinet_occupancy_limiter_text(CUBINET_LIMITER_BLOCKS, text), "blocks");
    assert_string_equal(cubinet_occupancy_limiter_text(UINT32_MAX, text),
                        "registers, shared memory, warps, blocks, barriers, block size, other");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers),
        cmocka_unit_test(test_named_barriers),
        cmocka_unit_test(test_takes_the_shorter_struct),
        cmocka_unit_test(test_tells_all_of_it),
        cmocka_unit_test(test_honours_what_the_kernel_was_compiled_for),
        cmocka_unit_test(test_finds_the_best_block_size),
        cmocka_unit_test(test_tells_the_dynamic_shared_memory_that_is_left),
        cmocka_unit_test(test_follows_a_carve_out),
        cmocka_unit_test(test_knows_architectures),
        cmocka_unit_test(test_refuses_what_is_no_question),
        cmocka_unit_test(test_names_limiters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
