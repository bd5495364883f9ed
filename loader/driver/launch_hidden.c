/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/launch_hidden.h"

#include "loader/core/support/error.h"
#include "loader/core/support/volume.h"
#include "loader/driver/errors.h"

#include <string.h>

enum {
    DRIVER_ALIGNMENT = 256, /* that all memory of the driver has */
    EXTENT_DIMENSIONS = 4,
};

const cubinet_hidden_param *cbn_launch_bounds_param(const cubinet_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->record.launch.hidden_count; i++) {
        if (kernel->record.launch.hidden[i].kind == CUBINET_HIDDEN_LAUNCH_BOUNDS) {
            return &kernel->record.launch.hidden[i];
        }
    }
    return NULL;
}

uint32_t cbn_hidden_count(const cubinet_kernel *kernel, const cubinet_launch_config *config, size_t arg_count)
{
    bool is_complete = kernel->record.resources.param_count != CUBINET_UNKNOWN &&
                       arg_count == kernel->record.resources.param_count;
    return is_complete || (config->flags & CUBINET_LAUNCH_NO_RECORD) ? 0 : kernel->record.launch.hidden_count;
}

/* Dimensions of the extent up to the last that is given; those that are left out before it count as 1. */
static uint32_t count_dimensions(const uint32_t extent[EXTENT_DIMENSIONS])
{
    uint32_t count = EXTENT_DIMENSIONS;
    while (count > 0 && extent[count - 1] == 0) {
        count--;
    }
    return count;
}

cubinet_status cbn_extent_threads(const cubinet_kernel *kernel, const cubinet_launch_config *config,
                                  uint64_t *out_threads)
{
    const cubinet_hidden_param *hidden = cbn_launch_bounds_param(kernel);
    uint32_t dimensions = count_dimensions(config->extent);
    uint64_t threads = config->threads_per_element ? config->threads_per_element : 1;
    if (!hidden) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "kernel '%s' takes no extent: the archive records no parameter for one",
                         cbn_kernel_expression(kernel));
    }
    if (dimensions == 0 || dimensions > hidden->dimensions) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "kernel '%s' takes an extent of up to %u dimensions, which it gets as a hidden "
                         "parameter; extent has %u",
                         cbn_kernel_expression(kernel), hidden->dimensions, dimensions);
    }
    for (uint32_t i = 0; i < dimensions; i++) {
        uint64_t side = config->extent[i] ? config->extent[i] : 1;
        if (__builtin_mul_overflow(threads, side, &threads)) {
            return cbn_error(CUBINET_ERROR_LIMIT, "kernel '%s': the extent has more than 2^64 elements",
                             cbn_kernel_expression(kernel));
        }
    }
    *out_threads = threads;
    return CUBINET_OK;
}

bool cbn_extent_fits(const cubinet_kernel *kernel, const uint64_t extent[3])
{
    return !cbn_launch_bounds_param(kernel) ||
           (extent[0] <= UINT32_MAX && extent[1] <= UINT32_MAX && extent[2] <= UINT32_MAX);
}

void cbn_extent_put(const cubinet_kernel *kernel, const uint64_t extent[3], cubinet_launch_config *config)
{
    for (int i = 0; i < 3 && cbn_launch_bounds_param(kernel); i++) {
        config->extent[i] = i == 0 || extent[i] > 1 ? (uint32_t)extent[i] : 0;
    }
}

/* launch_bounds_t of Warp 1.19: as many sides as the kernel was compiled for, threads in all, and threads
 * that have an element together. */
static cubinet_status put_bounds(const cubinet_kernel *kernel, const cubinet_launch_config *config,
                                 const cubinet_hidden_param *hidden, unsigned char *bounds)
{
    uint64_t threads = 0;
    uint64_t shared = config->threads_per_element ? config->threads_per_element : 1;
    cubinet_status status = cbn_extent_threads(kernel, config, &threads);
    if (status) {
        return status;
    }
    for (uint32_t i = 0; i < hidden->dimensions; i++) {
        uint32_t side = config->extent[i] ? config->extent[i] : 1;
        memcpy(bounds + i * sizeof(side), &side, sizeof(side));
    }
    size_t place = hidden->dimensions > 2 ? 16 : 8;
    memcpy(bounds + place, &threads, sizeof(threads));
    memcpy(bounds + place + sizeof(threads), &shared, sizeof(shared));
    return CUBINET_OK;
}

static cubinet_status place_hidden(const cubinet_kernel *kernel, const cubinet_launch_config *config,
                                   const cubinet_hidden_param *hidden, struct cbn_hidden *value,
                                   cubinet_arg *out_arg)
{
    switch ((int)hidden->kind) {
    case CUBINET_HIDDEN_SCRATCH:
    case CUBINET_HIDDEN_PROFILE:
        *out_arg = (cubinet_arg){&value->address, sizeof(value->address)};
        return CUBINET_OK;
    case CUBINET_HIDDEN_LAUNCH_BOUNDS:
        if (hidden->dimensions >= 1 && hidden->dimensions <= EXTENT_DIMENSIONS) {
            *out_arg = (cubinet_arg){value->bounds, hidden->dimensions > 2 ? 32 : 24};
            return put_bounds(kernel, config, hidden, value->bounds);
        }
        break;
    default:
        break;
    }
    return cbn_error(CUBINET_ERROR_NEWER_FORMAT,
                     "kernel '%s' has a hidden parameter, number %u, of a kind (%u) that this version of "
                     "Cubinet does not know: update libcubinet, or give the launch all arguments",
                     cbn_kernel_expression(kernel), hidden->param, hidden->kind);
}

cubinet_status cbn_hidden_check_count(const cubinet_kernel *kernel, const cubinet_arg *args, size_t arg_count)
{
    uint32_t count = kernel->record.launch.hidden_count;
    uint32_t expected = kernel->record.resources.param_count;
    if ((expected != CUBINET_UNKNOWN && arg_count + count != expected) || (arg_count > 0 && !args)) {
        return cbn_error(CUBINET_ERROR_LAUNCH_ARGUMENTS,
                         "kernel '%s' takes %u arguments, and %u hidden ones that the launch record says; "
                         "%zu were given",
                         cbn_kernel_expression(kernel), expected - count, count, args ? arg_count : 0);
    }
    return CUBINET_OK;
}

cubinet_status cbn_hidden_place(const cubinet_kernel *kernel, const cubinet_launch_config *config,
                                const cubinet_arg *args, size_t arg_count, struct cbn_hidden *values,
                                cubinet_arg *out_args)
{
    const cubinet_launch_record *record = &kernel->record.launch;
    uint32_t count = record->hidden_count;
    uint32_t next = 0;
    cubinet_status counted = cbn_hidden_check_count(kernel, args, arg_count);
    if (counted) {
        return counted;
    }
    for (size_t i = 0; i < arg_count + count; i++) {
        bool is_hidden = next < count && record->hidden[next].param == i;
        if (!is_hidden && i - next >= arg_count) {
            return cbn_error(CUBINET_ERROR_LAUNCH_ARGUMENTS,
                             "kernel '%s' has a hidden parameter, number %u, and %zu arguments before it are "
                             "too few",
                             cbn_kernel_expression(kernel), record->hidden[next].param, arg_count);
        }
        cubinet_status status = CUBINET_OK;
        if (is_hidden) {
            status = place_hidden(kernel, config, &record->hidden[next], &values[next], &out_args[i]);
            next++;
        } else {
            out_args[i] = args[i - next];
        }
        if (status) {
            return status;
        }
    }
    return CUBINET_OK;
}

/* What is added to the bytes, so that an aligned address is among them. */
static uint64_t room_of(const cubinet_hidden_param *hidden)
{
    return hidden->alignment > DRIVER_ALIGNMENT ? hidden->alignment - 1U : 0;
}

cubinet_status cbn_hidden_bytes(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                const cubinet_hidden_param *hidden, uint64_t *out_bytes)
{
    uint64_t bytes = hidden->bytes_per_block;
    if (__builtin_mul_overflow(bytes, cbn_volume(launch->grid), &bytes) ||
        __builtin_add_overflow(bytes, room_of(hidden), &bytes)) {
        return cbn_error(
            CUBINET_ERROR_LIMIT,
            "kernel '%s': %llu bytes of scratch memory for each block of this grid are more than "
            "2^64",
            cbn_kernel_expression(kernel), (unsigned long long)hidden->bytes_per_block);
    }
    *out_bytes = bytes;
    return CUBINET_OK;
}

uint64_t cbn_hidden_blocks(const cubinet_hidden_param *hidden, uint64_t bytes)
{
    uint64_t room = room_of(hidden);
    return bytes < room ? 0 : (bytes - room) / hidden->bytes_per_block;
}

void cbn_hidden_set(const cubinet_hidden_param *hidden, CUdeviceptr memory, struct cbn_hidden *value)
{
    uint64_t room = room_of(hidden);
    value->memory = memory;
    value->address = (memory + room) / (room + 1) * (room + 1);
}

static cubinet_status allocate(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                               const cubinet_hidden_param *hidden, struct cbn_hidden *value)
{
    const struct cbn_driver_table *cu = &kernel->module->driver->cu;
    CUdeviceptr memory = 0;
    uint64_t bytes = 0;
    cubinet_status status = cbn_hidden_bytes(kernel, launch, hidden, &bytes);
    if (status) {
        return status;
    }
    cbn_cu_result result = cu->cuMemAllocAsync(&memory, (size_t)bytes, launch->stream);
    if (result != CBN_CU_SUCCESS) {
        return cbn_driver_failed(cu, result, "allocating %llu bytes of scratch memory for kernel '%s'",
                                 (unsigned long long)bytes, cbn_kernel_expression(kernel));
    }
    cbn_hidden_set(hidden, memory, value);
    return CUBINET_OK;
}

cubinet_status cbn_hidden_allocate(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                   struct cbn_hidden *values, uint32_t count)
{
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < count; i++) {
        const cubinet_hidden_param *hidden = &kernel->record.launch.hidden[i];
        if (hidden->kind != CUBINET_HIDDEN_LAUNCH_BOUNDS && hidden->bytes_per_block > 0) {
            status = allocate(kernel, launch, hidden, &values[i]);
        }
    }
    return status;
}

cubinet_status cbn_hidden_free(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                               const struct cbn_hidden *values, uint32_t count)
{
    const struct cbn_driver_table *cu = &kernel->module->driver->cu;
    cbn_cu_result first = CBN_CU_SUCCESS;
    for (uint32_t i = 0; i < count; i++) {
        cbn_cu_result result =
            values[i].memory ? cu->cuMemFreeAsync(values[i].memory, launch->stream) : CBN_CU_SUCCESS;
        first = first == CBN_CU_SUCCESS ? result : first;
    }
    return first == CBN_CU_SUCCESS ? CUBINET_OK
                                   : cbn_driver_failed(cu, first, "freeing the scratch memory of kernel '%s'",
                                                       cbn_kernel_expression(kernel));
}
