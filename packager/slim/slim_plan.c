/* SPDX-License-Identifier: Apache-2.0 */
#include "slim/slim_plan.h"

#include "loader/core/support/error.h"

#include <stdlib.h>

static bool is_touched(const struct slim_fatbin *fatbin)
{
    return fatbin->fate == SLIM_CHOSEN || fatbin->fate == SLIM_UNCHOSEN;
}

/* Compresses what stays of a fatbin, and adds up what it has then. */
static cubinet_status pack_images(struct slim_file *file, struct slim_fatbin *fatbin, bool is_packed)
{
    uint64_t size = CBN_FATBIN_HEADER;
    for (size_t i = 0; i < fatbin->image_count; i++) {
        struct slim_image *image = &file->images[fatbin->first_image + i];
        if (!image->stays) {
            continue;
        }
        if (is_packed) {
            cubinet_status status = fatbin_pack(&image->entry, &image->packed, &image->packed_size);
            if (status) {
                return status;
            }
        }
        size += image->packed ? image->packed_size : image->entry.size;
    }
    fatbin->new_size = size;
    return CUBINET_OK;
}

static cubinet_status plan_fatbin(struct slim_plan *plan, struct slim_fatbin *fatbin,
                                  const struct slim_wish *wish, bool *gets)
{
    cubinet_status status = slim_choose(&plan->file, fatbin, wish, gets);
    if (!status && is_touched(fatbin)) {
        status = pack_images(&plan->file, fatbin, wish->is_packed);
    }
    for (size_t i = 0; i < wish->device_count; i++) {
        plan->without[i] += !gets[i] && is_touched(fatbin);
        plan->without[i] += fatbin->fate == SLIM_FOR_NOBODY;
    }
    plan->fates[fatbin->fate]++;
    plan->fate_bytes[fatbin->fate] += fatbin->size;
    return status;
}

static cubinet_status plan_all(struct slim_plan *plan, const struct slim_wish *wish)
{
    bool *gets = calloc(wish->device_count + 1, sizeof(*gets));
    plan->without = calloc(wish->device_count + 1, sizeof(*plan->without));
    cubinet_status status = gets && plan->without ? CUBINET_OK : cbn_error_memory();
    for (size_t i = 0; !status && i < plan->file.fatbin_count; i++) {
        status = plan_fatbin(plan, &plan->file.fatbins[i], wish, gets);
    }
    free(gets);
    if (!status && wish->device_count > 0 && plan->fates[SLIM_CHOSEN] == 0 && plan->fates[SLIM_FOR_NOBODY]) {
        status = cbn_error(CUBINET_ERROR_NOT_FOUND,
                           "no fatbin in it has an image for the GPUs that are named; --dry-run without "
                           "--arch shows what there is");
    }
    return status;
}

cubinet_status slim_plan_make(const void *bytes, size_t size, const struct slim_wish *wish,
                              struct slim_plan *out_plan)
{
    struct slim_plan plan = {.without = NULL};
    cubinet_status status = slim_file_read(bytes, size, &plan.file);
    if (status) {
        return status;
    }
    status = plan_all(&plan, wish);
    if (status) {
        slim_plan_free(&plan);
        return status;
    }
    *out_plan = plan;
    return CUBINET_OK;
}

void slim_plan_free(struct slim_plan *plan)
{
    slim_file_free(&plan->file);
    free(plan->without);
    *plan = (struct slim_plan){0};
}

uint64_t slim_plan_bytes(const struct slim_plan *plan, bool is_after)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < plan->file.fatbin_count; i++) {
        const struct slim_fatbin *fatbin = &plan->file.fatbins[i];
        bytes += is_after ? fatbin->new_size : fatbin->size;
    }
    return bytes;
}

uint64_t slim_plan_zeros(const struct slim_plan *plan)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < plan->file.fatbin_count; i++) {
        bytes += plan->file.fatbins[i].room - plan->file.fatbins[i].new_size;
    }
    return bytes;
}
