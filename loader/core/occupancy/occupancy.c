/* SPDX-License-Identifier: Apache-2.0 */
/* How many blocks of a kernel a multiprocessor holds. The rules are those of NVIDIA's cuda_occupancy.h, with
 * which tests/unit/loader/core/occupancy/test_occupancy_reference.c compares them. */
#include <cubinet/occupancy.h>

#include "loader/core/support/error.h"
#include "loader/core/support/sized.h"
#include "loader/core/support/volume.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { NO_LIMIT = UINT32_MAX };

/* A question: which kernel, on what, with which blocks. */
struct question {
    cubinet_device_limits limits;
    cubinet_kernel_resources resources;
};

static uint64_t divide_up(uint64_t value, uint64_t by)
{
    return (value + by - 1) / by;
}

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return divide_up(value, unit) * unit;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static cubinet_status check_limits(const cubinet_device_limits *limits)
{
    if (!limits->warp_size || !limits->max_threads_per_block || !limits->max_warps_per_multiprocessor ||
        !limits->max_blocks_per_multiprocessor || !limits->sub_partitions ||
        !limits->register_allocation_unit || !limits->shared_allocation_unit ||
        limits->shared_configuration_count > CUBINET_MAX_SHARED_CONFIGURATIONS) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "cubinet_device_limits: not filled in by cubinet_device_limits_of_compute()");
    }
    return CUBINET_OK;
}

static cubinet_status check_resources(const cubinet_kernel_resources *resources)
{
    if (resources->registers == CUBINET_UNKNOWN || resources->static_shared_bytes == CUBINET_UNKNOWN) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "the kernel's registers or shared memory are unknown: only machine code (an \"sm_\" "
                         "image) tells them");
    }
    return CUBINET_OK;
}

static cubinet_status read_question(const cubinet_device_limits *limits,
                                    const cubinet_kernel_resources *resources, struct question *question)
{
    if (!limits || !resources) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "occupancy: %s is NULL",
                         !limits ? "limits" : "resources");
    }
    cubinet_status status =
        cbn_sized_read(limits, "cubinet_device_limits", &question->limits, sizeof(question->limits));
    if (!status) {
        status = cbn_sized_read(resources, "cubinet_kernel_resources", &question->resources,
                                sizeof(question->resources));
    }
    if (!status) {
        status = cbn_flags_check("cubinet_device_limits", 0, 0, question->limits.reserved);
    }
    if (!status) {
        status = cbn_flags_check("cubinet_kernel_resources", 0, 0, question->resources.reserved);
    }
    if (!status) {
        status = check_limits(&question->limits);
    }
    if (!status) {
        status = check_resources(&question->resources);
    }
    return status;
}

/* The most threads that a block may have. */
static uint32_t block_size_limit(const struct question *question)
{
    uint64_t limit = question->limits.max_threads_per_block;
    uint64_t bounds = cbn_recorded_volume(question->resources.max_block);
    if (bounds && bounds < limit) {
        limit = bounds;
    }
    uint32_t recorded = question->resources.max_threads_per_block; /* CUBINET_UNKNOWN is above any limit */
    return recorded && recorded < limit ? recorded : (uint32_t)limit;
}

static bool block_size_is_legal(const struct question *question, uint32_t block_threads)
{
    uint64_t required = cbn_recorded_volume(question->resources.required_block);
    return block_threads <= block_size_limit(question) && (!required || block_threads == required);
}

static uint32_t limit_by_warps(const struct question *question, uint32_t block_threads)
{
    return (uint32_t)(question->limits.max_warps_per_multiprocessor /
                      divide_up(block_threads, question->limits.warp_size));
}

/* Registers are given to warps, out of the part of the register file that belongs to the sub-partition the
 * warp is on. The check that a block fits assumes that its warps are spread over all sub-partitions. */
static uint32_t limit_by_registers(const struct question *question, uint32_t block_threads,
                                   uint32_t sub_partitions, uint32_t *out_allocated)
{
    const cubinet_device_limits *limits = &question->limits;
    uint32_t registers = question->resources.registers;
    uint64_t warps = divide_up(block_threads, limits->warp_size);
    uint64_t warp_registers =
        round_up((uint64_t)registers * limits->warp_size, limits->register_allocation_unit);
    uint64_t allocated = warp_registers * warps;
    *out_allocated = allocated > UINT32_MAX ? UINT32_MAX : (uint32_t)allocated;
    if (registers > limits->max_registers_per_thread ||
        warp_registers * round_up(warps, sub_partitions) > limits->max_registers_per_block) {
        return 0;
    }
    if (!warp_registers) {
        return NO_LIMIT;
    }
    uint64_t warps_fit =
        limits->max_registers_per_multiprocessor / sub_partitions / warp_registers * sub_partitions;
    return (uint32_t)(warps_fit / warps);
}

/* cuda_occupancy.h: a block that fits no other Pascal multiprocessor, which has four sub-partitions, is not
 * run by 6.0 either, which has two. */
static uint32_t limit_by_registers_everywhere(const struct question *question, uint32_t block_threads,
                                              uint32_t *out_allocated)
{
    const cubinet_device_limits *limits = &question->limits;
    uint32_t ignored = 0;
    if (limits->compute_major == 6 && limits->compute_minor == 0 &&
        !limit_by_registers(question, block_threads, 4, &ignored)) {
        limit_by_registers(question, block_threads, limits->sub_partitions, out_allocated);
        return 0;
    }
    return limit_by_registers(question, block_threads, limits->sub_partitions, out_allocated);
}

/* Shared memory that one block takes of its multiprocessor. */
static uint64_t allocated_shared(const struct question *question, uint32_t dynamic_shared_bytes)
{
    const cubinet_device_limits *limits = &question->limits;
    uint64_t bytes = (uint64_t)question->resources.static_shared_bytes +
                     limits->reserved_shared_bytes_per_block + dynamic_shared_bytes;
    return round_up(bytes, limits->shared_allocation_unit);
}

/* The most that one block may take. */
static uint64_t block_shared_limit(const cubinet_device_limits *limits)
{
    return (uint64_t)limits->max_shared_bytes_per_block_optin + limits->reserved_shared_bytes_per_block;
}

/* What the multiprocessor is set to while blocks of that size run: what is preferred, or the smallest
 * configuration that has room for one of them. */
static uint64_t multiprocessor_shared(const cubinet_device_limits *limits, uint64_t allocated)
{
    uint64_t preferred = limits->preferred_shared_bytes ? limits->preferred_shared_bytes
                                                        : limits->max_shared_bytes_per_multiprocessor;
    for (uint32_t i = 0; preferred < allocated && i < limits->shared_configuration_count; i++) {
        if (limits->shared_configurations[i] >= allocated) {
            return limits->shared_configurations[i];
        }
    }
    return preferred;
}

static uint32_t limit_by_shared(const struct question *question, uint32_t dynamic_shared_bytes,
                                uint32_t *out_allocated)
{
    const cubinet_device_limits *limits = &question->limits;
    uint64_t allocated = allocated_shared(question, dynamic_shared_bytes);
    *out_allocated = allocated > UINT32_MAX ? UINT32_MAX : (uint32_t)allocated;
    if (allocated > block_shared_limit(limits)) {
        return 0;
    }
    return allocated ? (uint32_t)(multiprocessor_shared(limits, allocated) / allocated) : NO_LIMIT;
}

/* From 9.0 on a multiprocessor has barriers for its blocks to share. */
static uint32_t limit_by_barriers(const struct question *question)
{
    uint32_t available = question->limits.max_barriers_per_multiprocessor;
    uint32_t used = question->resources.barriers;
    return available && used && used != CUBINET_UNKNOWN ? available / used : NO_LIMIT;
}

static void conclude(const struct question *question, uint32_t block_threads, cubinet_occupancy *occupancy)
{
    const struct {
        uint32_t limit;
        uint32_t bit;
    } limits[] = {
        {occupancy->block_limit_warps, CUBINET_LIMITER_WARPS},
        {occupancy->block_limit_registers, CUBINET_LIMITER_REGISTERS},
        {occupancy->block_limit_shared_memory, CUBINET_LIMITER_SHARED_MEMORY},
        {occupancy->block_limit_blocks, CUBINET_LIMITER_BLOCKS},
        {occupancy->block_limit_barriers, CUBINET_LIMITER_BARRIERS},
    };
    uint32_t blocks = NO_LIMIT;
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        blocks = smaller(blocks, limits[i].limit);
    }
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        occupancy->limiters |= limits[i].limit == blocks ? limits[i].bit : 0;
    }
    if (!block_size_is_legal(question, block_threads)) {
        blocks = 0;
        occupancy->limiters = CUBINET_LIMITER_BLOCK_SIZE;
    }
    occupancy->active_blocks_per_multiprocessor = blocks;
    occupancy->active_warps_per_multiprocessor =
        blocks * (uint32_t)divide_up(block_threads, question->limits.warp_size);
    occupancy->occupancy =
        (double)occupancy->active_warps_per_multiprocessor / occupancy->max_warps_per_multiprocessor;
}

static cubinet_occupancy answer(const struct question *question, uint32_t block_threads,
                                uint32_t dynamic_shared_bytes)
{
    cubinet_occupancy occupancy = {
        .size = sizeof(occupancy),
        .max_warps_per_multiprocessor = question->limits.max_warps_per_multiprocessor,
        .block_limit_warps = limit_by_warps(question, block_threads),
        .block_limit_blocks = question->limits.max_blocks_per_multiprocessor,
        .block_limit_barriers = limit_by_barriers(question),
    };
    occupancy.block_limit_registers =
        limit_by_registers_everywhere(question, block_threads, &occupancy.allocated_registers_per_block);
    occupancy.block_limit_shared_memory =
        limit_by_shared(question, dynamic_shared_bytes, &occupancy.allocated_shared_bytes_per_block);
    conclude(question, block_threads, &occupancy);
    return occupancy;
}

static cubinet_status need_threads(uint32_t block_threads)
{
    if (!block_threads) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "occupancy: a block of 0 threads");
    }
    return CUBINET_OK;
}

cubinet_status cubinet_occupancy_compute(const cubinet_device_limits *limits,
                                         const cubinet_kernel_resources *resources, uint32_t block_threads,
                                         uint32_t dynamic_shared_bytes, cubinet_occupancy *out_occupancy)
{
    struct question question;
    cubinet_status status = read_question(limits, resources, &question);
    if (!status) {
        status = need_threads(block_threads);
    }
    if (status) {
        return status;
    }
    cubinet_occupancy occupancy = answer(&question, block_threads, dynamic_shared_bytes);
    return cbn_sized_write(out_occupancy, "cubinet_occupancy", &occupancy, sizeof(occupancy));
}

static uint32_t dynamic_shared_of(const cubinet_block_size_options *options, uint32_t block_threads)
{
    return options->dynamic_shared_fn
               ? options->dynamic_shared_fn(block_threads, options->dynamic_shared_user)
               : options->dynamic_shared_bytes;
}

/* The largest block size to try. */
static uint32_t greatest_block_size(const struct question *question,
                                    const cubinet_block_size_options *options)
{
    uint32_t limit = block_size_limit(question);
    return options->max_block_threads ? smaller(limit, options->max_block_threads) : limit;
}

/* From the largest block size down, in whole warps: threads count, not warps, and the first of equals wins.
 */
static uint32_t best_block_size(const struct question *question, const cubinet_block_size_options *options,
                                cubinet_occupancy *out_occupancy)
{
    uint32_t warp = question->limits.warp_size;
    uint32_t greatest = greatest_block_size(question, options);
    uint32_t best = 0;
    uint64_t best_threads = 0;
    for (uint64_t aligned = round_up(greatest, warp); aligned > 0; aligned -= warp) {
        uint32_t block = smaller(greatest, (uint32_t)aligned);
        cubinet_occupancy occupancy = answer(question, block, dynamic_shared_of(options, block));
        uint64_t threads = (uint64_t)block * occupancy.active_blocks_per_multiprocessor;
        if (threads > best_threads || !best) {
            *out_occupancy = occupancy;
        }
        if (threads > best_threads) {
            best = block;
            best_threads = threads;
        }
    }
    return best;
}

/* The one block size of a kernel that was compiled for it. */
static uint32_t required_block_size(const struct question *question,
                                    const cubinet_block_size_options *options, uint64_t required,
                                    cubinet_occupancy *out_occupancy)
{
    uint32_t block = required > UINT32_MAX ? UINT32_MAX : (uint32_t)required;
    *out_occupancy = answer(question, block, dynamic_shared_of(options, block));
    if (block > greatest_block_size(question, options)) {
        return 0;
    }
    return out_occupancy->active_blocks_per_multiprocessor ? block : 0;
}

cubinet_status cubinet_occupancy_max_block_size(const cubinet_device_limits *limits,
                                                const cubinet_kernel_resources *resources,
                                                const cubinet_block_size_options *options,
                                                uint32_t *out_block_threads, cubinet_occupancy *out_occupancy)
{
    struct question question;
    cubinet_block_size_options known;
    cubinet_status status = read_question(limits, resources, &question);
    if (!status) {
        status = cbn_sized_read(options, "cubinet_block_size_options", &known, sizeof(known));
    }
    if (!status && !out_block_threads) {
        status = cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "occupancy: out_block_threads is NULL");
    }
    if (status) {
        return status;
    }
    cubinet_occupancy occupancy = {0};
    uint64_t required = cbn_recorded_volume(question.resources.required_block);
    uint32_t block = required ? required_block_size(&question, &known, required, &occupancy)
                              : best_block_size(&question, &known, &occupancy);
    if (out_occupancy) {
        status = cbn_sized_write(out_occupancy, "cubinet_occupancy", &occupancy, sizeof(occupancy));
    }
    if (!status) {
        *out_block_threads = block;
    }
    return status;
}

static uint32_t available_dynamic_shared(const struct question *question, uint32_t blocks)
{
    const cubinet_device_limits *limits = &question->limits;
    uint64_t fixed =
        (uint64_t)question->resources.static_shared_bytes + limits->reserved_shared_bytes_per_block;
    uint64_t greatest = block_shared_limit(limits);
    uint64_t share = greatest;
    if (blocks > 1) {
        share = multiprocessor_shared(limits, allocated_shared(question, 0)) / blocks;
        share -= share % limits->shared_allocation_unit;
    }
    return (uint32_t)((share < greatest ? share : greatest) - fixed);
}

cubinet_status cubinet_occupancy_available_dynamic_shared(const cubinet_device_limits *limits,
                                                          const cubinet_kernel_resources *resources,
                                                          uint32_t blocks, uint32_t block_threads,
                                                          uint32_t *out_bytes)
{
    struct question question;
    cubinet_status status = read_question(limits, resources, &question);
    if (!status) {
        status = need_threads(block_threads);
    }
    if (!status && (!blocks || !out_bytes)) {
        status = cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "occupancy: %s",
                           !blocks ? "0 blocks for each multiprocessor" : "out_bytes is NULL");
    }
    if (status) {
        return status;
    }
    cubinet_occupancy without = answer(&question, block_threads, 0);
    if (without.active_blocks_per_multiprocessor < blocks) {
        char text[CUBINET_LIMITER_TEXT_SIZE];
        return cbn_error(CUBINET_ERROR_LIMIT,
                         "a multiprocessor holds %u blocks of %u threads even without dynamic shared memory "
                         "(limited by %s); %u were asked for",
                         without.active_blocks_per_multiprocessor, block_threads,
                         cubinet_occupancy_limiter_text(without.limiters, text), blocks);
    }
    *out_bytes = available_dynamic_shared(&question, blocks);
    return CUBINET_OK;
}

const char *cubinet_occupancy_limiter_text(uint32_t limiters, char text[CUBINET_LIMITER_TEXT_SIZE])
{
    static const struct {
        uint32_t bit;
        const char *name;
    } names[] = {
        {CUBINET_LIMITER_REGISTERS, "registers"}, {CUBINET_LIMITER_SHARED_MEMORY, "shared memory"},
        {CUBINET_LIMITER_WARPS, "warps"},         {CUBINET_LIMITER_BLOCKS, "blocks"},
        {CUBINET_LIMITER_BARRIERS, "barriers"},   {CUBINET_LIMITER_BLOCK_SIZE, "block size"},
        {CUBINET_LIMITER_OTHER, "other"},
    };
    if (!text) {
        return "";
    }
    text[0] = '\0';
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (limiters & names[i].bit) {
            size_t length = strlen(text);
            snprintf(text + length, CUBINET_LIMITER_TEXT_SIZE - length, "%s%s", length ? ", " : "",
                     names[i].name);
        }
    }
    return text;
}
