/* SPDX-License-Identifier: Apache-2.0 */
/* Compares occupancy with NVIDIA's cuda_occupancy.h over a grid of every architecture, registers, shared
 * memory, block sizes and carve-outs. Without a toolkit it is compiled without the header and skipped. */
#include "unit.h"

#include <stdio.h>

#ifdef CUBINET_HAVE_CUDA_OCCUPANCY

#include <cubinet/occupancy.h>

#include <cuda_occupancy.h>

#include <stdbool.h>

struct tally {
    unsigned long compared;
    unsigned long mismatches;
    unsigned long unknown; /* of architectures that the header does not know, or had wrong */
};

struct shared {
    uint32_t fixed;
    uint32_t dynamic;
};

/* A kernel's needs, one of __syncthreads() among its barriers. */
enum { USUAL_BARRIERS = 1, MOST_BARRIERS = 16 };

static const struct shared sizes[] = {
    {0, 0},        {0, 1},       {0, 128},      {0, 1024},      {0, 4096},       {0, 8064},
    {0, 16384},    {0, 16385},   {0, 31744},    {0, 49152},     {0, 49153},      {0, 65536},
    {0, 65537},    {0, 98304},   {0, 101376},   {0, 101377},    {0, 166912},     {0, 166913},
    {0, 232448},   {0, 232449},  {100, 0},      {1024, 0},      {20000, 0},      {49152, 0},
    {1000, 3000},  {8192, 8192}, {49152, 1},    {49152, 49152}, {49152, 117760}, {40000, 192448},
    {1024, 98304}, {256, 65280}, {1024, 64512}, {48, 48 << 10},
};

static const uint32_t odd_blocks[] = {1, 31, 33, 100, 255, 513, 1000, 1023};

static cudaOccDeviceProp reference_device(const cubinet_device_limits *limits)
{
    cudaOccDeviceProp device = {0};
    device.computeMajor = limits->compute_major;
    device.computeMinor = limits->compute_minor;
    device.maxThreadsPerBlock = (int)limits->max_threads_per_block;
    device.maxThreadsPerMultiprocessor = (int)limits->max_threads_per_multiprocessor;
    device.regsPerBlock = (int)limits->max_registers_per_block;
    device.regsPerMultiprocessor = (int)limits->max_registers_per_multiprocessor;
    device.warpSize = (int)limits->warp_size;
    device.sharedMemPerBlock = limits->max_shared_bytes_per_block;
    device.sharedMemPerMultiprocessor = limits->max_shared_bytes_per_multiprocessor;
    device.numSms = 1;
    device.sharedMemPerBlockOptin = limits->max_shared_bytes_per_block_optin;
    device.reservedSharedMemPerBlock = limits->reserved_shared_bytes_per_block;
    return device;
}

static cudaOccFuncAttributes reference_kernel(uint32_t registers, struct shared shared, uint32_t barriers)
{
    cudaOccFuncAttributes kernel = {0};
    kernel.maxThreadsPerBlock = 1024;
    kernel.numRegs = (int)registers;
    kernel.sharedSizeBytes = shared.fixed;
    kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    kernel.maxDynamicSharedSizeBytes = shared.dynamic;
    kernel.numBlockBarriers = (int)barriers;
    return kernel;
}

static cubinet_kernel_resources our_kernel(uint32_t registers, struct shared shared, uint32_t barriers)
{
    return (cubinet_kernel_resources){
        .size = sizeof(cubinet_kernel_resources),
        .registers = registers,
        .static_shared_bytes = shared.fixed,
        .max_threads_per_block = 1024,
        .barriers = barriers,
    };
}

static uint32_t limit_of(int reference)
{
    return reference == INT_MAX ? UINT32_MAX : (uint32_t)reference;
}

/* Where barriers alone limit, the header names them beside what would limit without them. */
static bool is_left_over(unsigned int bit, const cudaOccResult *theirs)
{
    return bit != OCC_LIMIT_BARRIERS && theirs->blockLimitBarriers < theirs->blockLimitWarps &&
           theirs->blockLimitBarriers < theirs->blockLimitRegs &&
           theirs->blockLimitBarriers < theirs->blockLimitSharedMem &&
           theirs->blockLimitBarriers < theirs->blockLimitBlocks;
}

static bool same(const cudaOccResult *theirs, const cubinet_occupancy *ours)
{
    static const struct {
        unsigned int theirs;
        uint32_t ours;
    } bits[] = {
        {OCC_LIMIT_WARPS, CUBINET_LIMITER_WARPS},
        {OCC_LIMIT_REGISTERS, CUBINET_LIMITER_REGISTERS},
        {OCC_LIMIT_SHARED_MEMORY, CUBINET_LIMITER_SHARED_MEMORY},
        {OCC_LIMIT_BLOCKS, CUBINET_LIMITER_BLOCKS},
        {OCC_LIMIT_BARRIERS, CUBINET_LIMITER_BARRIERS},
    };
    bool equal = (uint32_t)theirs->activeBlocksPerMultiprocessor == ours->active_blocks_per_multiprocessor &&
                 limit_of(theirs->blockLimitWarps) == ours->block_limit_warps &&
                 limit_of(theirs->blockLimitRegs) == ours->block_limit_registers &&
                 limit_of(theirs->blockLimitSharedMem) == ours->block_limit_shared_memory &&
                 limit_of(theirs->blockLimitBlocks) == ours->block_limit_blocks &&
                 limit_of(theirs->blockLimitBarriers) == ours->block_limit_barriers &&
                 (uint32_t)theirs->allocatedRegistersPerBlock == ours->allocated_registers_per_block &&
                 theirs->allocatedSharedMemPerBlock == ours->allocated_shared_bytes_per_block;
    for (size_t i = 0; i < COUNT(bits); i++) {
        bool is_theirs =
            (theirs->limitingFactors & bits[i].theirs) != 0 && !is_left_over(bits[i].theirs, theirs);
        equal = equal && is_theirs == ((ours->limiters & bits[i].ours) != 0);
    }
    return equal;
}

/* What the header says of blocks of one warp that use two barriers. */
static int limit_by_two_barriers(const cudaOccDeviceProp *device)
{
    const cudaOccFuncAttributes kernel = reference_kernel(16, (struct shared){0, 0}, 2);
    const cudaOccDeviceState state = {CACHE_PREFER_NONE, SHAREDMEM_CARVEOUT_DEFAULT};
    cudaOccResult result = {0};
    assert_int_equal(cudaOccMaxActiveBlocksPerMultiprocessor(&result, device, &kernel, &state, 32, 0),
                     CUDA_OCC_SUCCESS);
    return result.blockLimitBarriers;
}

/* Headers before CUDA 13.5 take 10.7 for any 10.x, and those before CUDA 13.3 take 10.3 for 10.0, which has
 * more barriers. */
static bool header_is_older(const cubinet_device_limits *limits, const cudaOccDeviceProp *device)
{
    if (limits->compute_major != 10 || (limits->compute_minor != 3 && limits->compute_minor != 7)) {
        return false;
    }
    return limit_by_two_barriers(device) * 2 != (int)limits->max_barriers_per_multiprocessor;
}

static void compare(const cubinet_device_limits *limits, int carve_out, uint32_t registers, uint32_t barriers,
                    struct shared shared, uint32_t block, struct tally *tally)
{
    const cudaOccDeviceProp device = reference_device(limits);
    const cudaOccFuncAttributes kernel = reference_kernel(registers, shared, barriers);
    const cudaOccDeviceState state = {CACHE_PREFER_NONE, carve_out};
    cudaOccResult theirs;
    cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(&theirs, &device, &kernel, &state,
                                                                 (int)block, shared.dynamic);
    if (error == CUDA_OCC_ERROR_UNKNOWN_DEVICE || header_is_older(limits, &device)) {
        tally->unknown++;
        return;
    }
    const cubinet_kernel_resources resources = our_kernel(registers, shared, barriers);
    cubinet_occupancy ours = {.size = sizeof(ours)};
    assert_int_equal(error, CUDA_OCC_SUCCESS);
    assert_int_equal(cubinet_occupancy_compute(limits, &resources, block, shared.dynamic, &ours), CUBINET_OK);
    tally->compared++;
    if (!same(&theirs, &ours) && tally->mismatches++ < 10) {
        print_error("%d.%d, carve-out %d: %u registers, %u barriers, %u + %u bytes, %u threads: %d blocks in "
                    "cuda_occupancy.h, %u here\n",
                    limits->compute_major, limits->compute_minor, carve_out, registers, barriers,
                    shared.fixed, shared.dynamic, block, theirs.activeBlocksPerMultiprocessor,
                    ours.active_blocks_per_multiprocessor);
    }
}

static cubinet_device_limits limits_at(size_t index)
{
    int number = cubinet_compute_number(index);
    cubinet_device_limits limits = {.size = sizeof(limits)};
    assert_int_equal(cubinet_device_limits_of_compute(number / 10, number % 10, &limits), CUBINET_OK);
    return limits;
}

/* Calls compare() for every block size that is whole warps, and some that are not. */
static void compare_blocks(const cubinet_device_limits *limits, uint32_t registers, uint32_t barriers,
                           struct shared shared, struct tally *tally)
{
    for (uint32_t block = 32; block <= 1024; block += 32) {
        compare(limits, -1, registers, barriers, shared, block, tally);
    }
    for (size_t i = 0; i < COUNT(odd_blocks); i++) {
        compare(limits, -1, registers, barriers, shared, odd_blocks[i], tally);
    }
}

static void expect_agreement(const char *what, const struct tally *tally)
{
    printf(
        "%s: %lu compared with cuda_occupancy.h (up to %d.%d), %lu mismatches; %lu of architectures that it "
        "lacks or knows too little of\n",
        what, tally->compared, __CUDA_OCC_MAJOR__, __CUDA_OCC_MINOR__, tally->mismatches, tally->unknown);
    assert_true(tally->compared > 0);
    assert_int_equal(tally->mismatches, 0);
}

static void test_active_blocks(void **state)
{
    (void)state;
    struct tally tally = {0};
    for (size_t i = 0; i < cubinet_compute_count(); i++) {
        const cubinet_device_limits limits = limits_at(i);
        for (uint32_t registers = 0; registers <= 256; registers++) {
            for (size_t j = 0; j < COUNT(sizes); j++) {
                compare_blocks(&limits, registers, USUAL_BARRIERS, sizes[j], &tally);
            }
        }
    }
    expect_agreement("active blocks", &tally);
}

static void test_barriers(void **state)
{
    (void)state;
    struct tally tally = {0};
    for (size_t i = 0; i < cubinet_compute_count(); i++) {
        const cubinet_device_limits limits = limits_at(i);
        for (uint32_t barriers = 0; barriers <= MOST_BARRIERS; barriers++) {
            for (uint32_t registers = 8; registers <= 248; registers += 24) {
                for (size_t j = 0; j < COUNT(sizes); j++) {
                    compare_blocks(&limits, registers, barriers, sizes[j], &tally);
                }
            }
        }
    }
    expect_agreement("active blocks with named barriers", &tally);
}

static void test_carve_outs(void **state)
{
    (void)state;
    struct tally tally = {0};
    for (size_t i = 0; i < cubinet_compute_count(); i++) {
        cubinet_device_limits limits = limits_at(i);
        for (int percent = 0; percent <= 100; percent++) {
            assert_int_equal(cubinet_device_limits_prefer_shared(&limits, percent), CUBINET_OK);
            for (size_t j = 0; j < COUNT(sizes); j++) {
                compare(&limits, percent, 24, USUAL_BARRIERS, sizes[j], 32, &tally);
                compare(&limits, percent, 24, USUAL_BARRIERS, sizes[j], 256, &tally);
            }
        }
    }
    expect_agreement("active blocks with carve-outs", &tally);
}

static void compare_block_size(const cubinet_device_limits *limits, uint32_t registers, struct shared shared,
                               uint32_t bounds, struct tally *tally)
{
    const cudaOccDeviceProp device = reference_device(limits);
    const cudaOccDeviceState state = {CACHE_PREFER_NONE, SHAREDMEM_CARVEOUT_DEFAULT};
    uint32_t barriers = registers % (MOST_BARRIERS + 1);
    cudaOccFuncAttributes kernel = reference_kernel(registers, shared, barriers);
    cubinet_kernel_resources resources = our_kernel(registers, shared, barriers);
    kernel.maxThreadsPerBlock = (int)bounds;
    resources.max_threads_per_block = bounds;
    int grid = 0;
    int block = 0;
    cudaOccError error =
        cudaOccMaxPotentialOccupancyBlockSize(&grid, &block, &device, &kernel, &state, NULL, shared.dynamic);
    if (error == CUDA_OCC_ERROR_UNKNOWN_DEVICE || header_is_older(limits, &device)) {
        tally->unknown++;
        return;
    }
    const cubinet_block_size_options options = {.size = sizeof(options),
                                                .dynamic_shared_bytes = shared.dynamic};
    uint32_t ours = 0;
    cubinet_occupancy occupancy = {.size = sizeof(occupancy)};
    assert_int_equal(error, CUDA_OCC_SUCCESS);
    assert_int_equal(cubinet_occupancy_max_block_size(limits, &resources, &options, &ours, &occupancy),
                     CUBINET_OK);
    tally->compared++;
    if ((ours != (uint32_t)block || occupancy.active_blocks_per_multiprocessor != (uint32_t)grid) &&
        tally->mismatches++ < 10) {
        print_error("%d.%d: %u registers, %u + %u bytes, bounds %u: %d × %d in cuda_occupancy.h, %u × %u "
                    "here\n",
                    limits->compute_major, limits->compute_minor, registers, shared.fixed, shared.dynamic,
                    bounds, grid, block, occupancy.active_blocks_per_multiprocessor, ours);
    }
}

static void test_block_sizes(void **state)
{
    (void)state;
    static const uint32_t bounds[] = {1024, 1000, 512, 100, 1};
    struct tally tally = {0};
    for (size_t i = 0; i < cubinet_compute_count(); i++) {
        const cubinet_device_limits limits = limits_at(i);
        for (uint32_t registers = 0; registers <= 255; registers += 5) {
            for (size_t j = 0; j < COUNT(sizes); j++) {
                compare_block_size(&limits, registers, sizes[j], bounds[(registers + j) % COUNT(bounds)],
                                   &tally);
            }
        }
    }
    expect_agreement("block sizes", &tally);
}

/* cudaOccAvailableDynamicSMemPerBlock() before CUDA 13.1 forgot what is reserved of every block's memory. */
static uint32_t forgotten_bytes(void)
{
    const cubinet_device_limits limits = limits_at(cubinet_compute_count() - 1);
    const cudaOccDeviceProp device = reference_device(&limits);
    const cudaOccFuncAttributes kernel = reference_kernel(32, (struct shared){0, 1 << 20}, USUAL_BARRIERS);
    const cudaOccDeviceState state = {CACHE_PREFER_NONE, SHAREDMEM_CARVEOUT_DEFAULT};
    size_t bytes = 0;
    assert_int_equal(cudaOccAvailableDynamicSMemPerBlock(&bytes, &device, &kernel, &state, 1, 32),
                     CUDA_OCC_SUCCESS);
    return bytes > limits.max_shared_bytes_per_block_optin ? 1024 : 0;
}

static void compare_available(const cubinet_device_limits *limits, uint32_t fixed, uint32_t blocks,
                              uint32_t threads, uint32_t forgotten, struct tally *tally)
{
    const cudaOccDeviceProp device = reference_device(limits);
    const cudaOccFuncAttributes kernel =
        reference_kernel(32, (struct shared){fixed, 1 << 20}, USUAL_BARRIERS);
    const cudaOccDeviceState state = {CACHE_PREFER_NONE, SHAREDMEM_CARVEOUT_DEFAULT};
    const cubinet_kernel_resources resources = our_kernel(32, (struct shared){fixed, 0}, USUAL_BARRIERS);
    size_t theirs = 0;
    uint32_t ours = 0;
    cudaOccError error =
        cudaOccAvailableDynamicSMemPerBlock(&theirs, &device, &kernel, &state, (int)blocks, (int)threads);
    if (error == CUDA_OCC_ERROR_UNKNOWN_DEVICE || header_is_older(limits, &device)) {
        tally->unknown++;
        return;
    }
    theirs -= error == CUDA_OCC_SUCCESS && limits->reserved_shared_bytes_per_block ? forgotten : 0;
    cubinet_status status =
        cubinet_occupancy_available_dynamic_shared(limits, &resources, blocks, threads, &ours);
    tally->compared++;
    if (((status == CUBINET_OK) != (error == CUDA_OCC_SUCCESS) || theirs != ours) &&
        tally->mismatches++ < 10) {
        print_error("%d.%d: %u bytes, %u blocks of %u: %zu in cuda_occupancy.h, %u here\n",
                    limits->compute_major, limits->compute_minor, fixed, blocks, threads, theirs, ours);
    }
}

static void test_available_dynamic_shared(void **state)
{
    (void)state;
    static const uint32_t fixed[] = {0, 100, 1024, 4096, 10000, 48 << 10};
    uint32_t forgotten = forgotten_bytes();
    struct tally tally = {0};
    for (size_t i = 0; i < cubinet_compute_count(); i++) {
        const cubinet_device_limits limits = limits_at(i);
        for (uint32_t blocks = 1; blocks <= 33; blocks++) {
            for (size_t j = 0; j < COUNT(fixed); j++) {
                compare_available(&limits, fixed[j], blocks, 32, forgotten, &tally);
                compare_available(&limits, fixed[j], blocks, 256, forgotten, &tally);
            }
        }
    }
    expect_agreement("available dynamic shared memory", &tally);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_active_blocks),
        cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_carve_outs),
        cmocka_unit_test(test_block_sizes),
        cmocka_unit_test(test_available_dynamic_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    printf("skipped: no cuda_occupancy.h was found when this was built\n");
    return 77;
}

#endif
