/* SPDX-License-Identifier: Apache-2.0 */
/* What multiprocessors of every architecture have: the table, and nothing else.
 *
 * Sources: [G] the CUDA Programming Guide, "Technical Specifications per Compute Capability"; [O] the rules
 * of cuda_occupancy.h (CUDA 13.5); [P] what ptxas accepts as .maxntid and .minnctapersm, and the registers it
 * then allows. [G] lacks 8.8 and [O] treats it as 8.6, which is how it stands here. It lacks 10.1, which
 * CUDA 12 called what is 11.0 in CUDA 13: [P] of CUDA 12.9 and [O] agree. And it lacks 10.7, which is what
 * [P] and [O] of CUDA 13.5 say, and CUTLASS (sm107_smem_capacity_bytes) of the memory of one block. */
#include "loader/core/support/error.h"
#include "loader/core/support/sized.h"

#include <cubinet/occupancy.h>

#include <stdio.h>
#include <string.h>

#define KIB(n) ((uint32_t)(n)*1024)

/* The ways to divide the memory of a multiprocessor, in KiB of shared memory [O]. */
enum split { SPLIT_FIXED, SPLIT_32_64, SPLIT_96, SPLIT_100, SPLIT_164, SPLIT_228, SPLIT_328, SPLIT_COUNT };

static const uint16_t splits[SPLIT_COUNT][CUBINET_MAX_SHARED_CONFIGURATIONS] = {
    [SPLIT_FIXED] = {0},
    [SPLIT_32_64] = {32, 64},
    [SPLIT_96] = {0, 8, 16, 32, 64, 96},
    [SPLIT_100] = {0, 8, 16, 32, 64, 100},
    [SPLIT_164] = {0, 8, 16, 32, 64, 100, 132, 164},
    [SPLIT_228] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228},
    [SPLIT_328] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228, 328},
};

/* What is the same for a whole generation of architectures is made from the compute capability below. */
struct architecture {
    uint8_t number;            /* 10 × major + minor */
    uint16_t threads;          /* for each multiprocessor [G] */
    uint8_t blocks;            /* for each multiprocessor [G, O] */
    uint8_t sub_partitions;    /* [O] */
    uint8_t block_kiregisters; /* 1024 registers for each block [G] */
    uint16_t shared_kib;       /* for each multiprocessor [G] */
    uint16_t optin_kib;        /* for each block [G] */
    uint8_t barriers;          /* for each block that a multiprocessor can hold [O]; 0: not limited */
    uint8_t large_cluster;     /* blocks; what the tuning guides of Hopper and Blackwell name, or 8 */
    enum split split;
};

static const struct architecture architectures[] = {
    {50, 2048, 32, 4, 64, 64, 48, 0, 0, SPLIT_FIXED},  {52, 2048, 32, 4, 64, 96, 48, 0, 0, SPLIT_FIXED},
    {53, 2048, 32, 4, 32, 64, 48, 0, 0, SPLIT_FIXED},  {60, 2048, 32, 2, 64, 64, 48, 0, 0, SPLIT_FIXED},
    {61, 2048, 32, 4, 64, 96, 48, 0, 0, SPLIT_FIXED},  {62, 2048, 32, 4, 32, 64, 48, 0, 0, SPLIT_FIXED},
    {70, 2048, 32, 4, 64, 96, 96, 0, 0, SPLIT_96},     {72, 2048, 32, 4, 64, 96, 96, 0, 0, SPLIT_96},
    {75, 1024, 16, 4, 64, 64, 64, 0, 0, SPLIT_32_64},  {80, 2048, 32, 4, 64, 164, 163, 0, 0, SPLIT_164},
    {86, 1536, 16, 4, 64, 100, 99, 0, 0, SPLIT_100},   {87, 1536, 16, 4, 64, 164, 163, 0, 0, SPLIT_164},
    {88, 1536, 16, 4, 64, 100, 99, 0, 0, SPLIT_100},   {89, 1536, 24, 4, 64, 100, 99, 0, 0, SPLIT_100},
    {90, 2048, 32, 4, 64, 228, 227, 2, 16, SPLIT_228}, {100, 2048, 32, 4, 64, 228, 227, 2, 16, SPLIT_228},
    {101, 1536, 24, 4, 64, 228, 227, 1, 8, SPLIT_228}, {103, 2048, 32, 4, 64, 228, 227, 1, 16, SPLIT_228},
    {107, 1024, 16, 4, 64, 328, 327, 1, 8, SPLIT_328}, {110, 1536, 24, 4, 64, 228, 227, 1, 8, SPLIT_228},
    {120, 1536, 24, 4, 64, 100, 99, 1, 8, SPLIT_100},  {121, 1536, 24, 4, 64, 100, 99, 1, 8, SPLIT_100},
};
enum {
    ARCHITECTURE_COUNT = sizeof(architectures) / sizeof(architectures[0]),
    WARP_SIZE = 32,
    PORTABLE_CLUSTER = 8,
};

static void fill_configurations(enum split split, cubinet_device_limits *limits)
{
    const uint16_t *sizes = splits[split];
    for (uint32_t i = 0; i < CUBINET_MAX_SHARED_CONFIGURATIONS; i++) {
        limits->shared_configurations[i] = KIB(sizes[i]);
        if (sizes[i]) {
            limits->shared_configuration_count = i + 1;
        }
    }
}

static cubinet_device_limits describe(const struct architecture *architecture)
{
    int major = architecture->number / 10;
    cubinet_device_limits limits = {
        .size = sizeof(limits),
        .compute_major = major,
        .compute_minor = architecture->number % 10,
        .warp_size = WARP_SIZE,
        .max_threads_per_block = 1024,
        .max_threads_per_multiprocessor = architecture->threads,
        .max_warps_per_multiprocessor = architecture->threads / WARP_SIZE,
        .max_blocks_per_multiprocessor = architecture->blocks,
        .sub_partitions = architecture->sub_partitions,
        .max_registers_per_multiprocessor = 64 * 1024,
        .max_registers_per_block = architecture->block_kiregisters * 1024u,
        .max_registers_per_thread = major < 7 ? 255 : 256, /* [O]; compilers use up to 255 */
        .register_allocation_unit = 256,
        .max_shared_bytes_per_multiprocessor = KIB(architecture->shared_kib),
        .max_shared_bytes_per_block = KIB(48),
        .max_shared_bytes_per_block_optin = KIB(architecture->optin_kib),
        .reserved_shared_bytes_per_block = major < 8 ? 0 : KIB(1),
        .shared_allocation_unit = major < 8 ? 256 : 128,
        .max_portable_cluster_blocks = major < 9 ? 0 : PORTABLE_CLUSTER,
        .max_cluster_blocks = architecture->large_cluster,
        .max_barriers_per_multiprocessor = (uint32_t)architecture->barriers * architecture->blocks,
    };
    fill_configurations(architecture->split, &limits);
    return limits;
}

size_t cubinet_compute_count(void)
{
    return ARCHITECTURE_COUNT;
}

int cubinet_compute_number(size_t index)
{
    return index < ARCHITECTURE_COUNT ? architectures[index].number : 0;
}

static cubinet_status unknown_compute(int major, int minor)
{
    char known[ARCHITECTURE_COUNT * sizeof(" 12.1")] = "";
    for (size_t i = 0; i < ARCHITECTURE_COUNT; i++) {
        size_t length = strlen(known);
        snprintf(known + length, sizeof(known) - length, " %d.%d", architectures[i].number / 10,
                 architectures[i].number % 10);
    }
    return cbn_error(CUBINET_ERROR_NOT_FOUND,
                     "the limits of compute capability %d.%d are not known; those of these are:%s", major,
                     minor, known);
}

cubinet_status cubinet_device_limits_of_compute(int major, int minor, cubinet_device_limits *out_limits)
{
    for (size_t i = 0; i < ARCHITECTURE_COUNT; i++) {
        if (architectures[i].number / 10 == major && architectures[i].number % 10 == minor) {
            cubinet_device_limits limits = describe(&architectures[i]);
            return cbn_sized_write(out_limits, "cubinet_device_limits", &limits, sizeof(limits));
        }
    }
    return unknown_compute(major, minor);
}

/* The smallest configuration that has so many bytes. One without shared memory counts as the next: every
 * block that uses none of it fits either. */
static uint32_t round_up_to_configuration(const cubinet_device_limits *limits, uint32_t bytes)
{
    for (uint32_t i = 0; i < limits->shared_configuration_count; i++) {
        if (limits->shared_configurations[i] && limits->shared_configurations[i] >= bytes) {
            return limits->shared_configurations[i];
        }
    }
    return 0;
}

cubinet_status cubinet_device_limits_prefer_shared(cubinet_device_limits *limits, int percent)
{
    cubinet_device_limits known;
    cubinet_status status = cbn_sized_read(limits, "cubinet_device_limits", &known, sizeof(known));
    if (!status) {
        status = cbn_flags_check("cubinet_device_limits", 0, 0, known.reserved);
    }
    if (status) {
        return status;
    }
    if (percent < -1 || percent > 100) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "a carve-out of %d percent: it is 0 to 100, or -1 for the driver's default",
                         percent);
    }
    known.preferred_shared_bytes =
        percent < 0
            ? 0
            : round_up_to_configuration(&known, (uint32_t)((uint64_t)(uint32_t)percent *
                                                           known.max_shared_bytes_per_multiprocessor / 100));
    return cbn_sized_write(limits, "cubinet_device_limits", &known, sizeof(known));
}
