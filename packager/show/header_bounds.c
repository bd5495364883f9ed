/* SPDX-License-Identifier: Apache-2.0 */
#include "show/header_bounds.h"

#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/tileir.h"
#include "loader/core/support/volume.h"

#include <string.h>

static bool same_params(const struct header_bounds *bounds, const cubinet_kernel_resources *resources)
{
    if (bounds->param_count != resources->param_count || bounds->param_bytes != resources->param_bytes) {
        return false;
    }
    for (uint32_t i = 0; i < bounds->param_count; i++) {
        const cubinet_param *a = &bounds->params[i];
        const cubinet_param *b = &resources->params[i];
        if (a->offset != b->offset || a->size != b->size) {
            return false;
        }
    }
    return true;
}

static void add_params(struct header_bounds *bounds, const cubinet_kernel_resources *resources)
{
    if (resources->param_count == CUBINET_UNKNOWN) {
        return;
    }
    if (bounds->param_count == CUBINET_UNKNOWN) {
        bounds->param_count = resources->param_count;
        bounds->param_bytes = resources->param_bytes;
        bounds->params = resources->params;
        return;
    }
    bounds->params_differ |= !same_params(bounds, resources);
}

static void add_shape(struct header_shape *shape, const uint32_t size[3])
{
    static const uint32_t none[3] = {0, 0, 0};
    if (size[0] == CUBINET_UNKNOWN || memcmp(size, none, sizeof(none)) == 0) {
        return;
    }
    if (memcmp(shape->size, none, sizeof(none)) == 0) {
        memcpy(shape->size, size, sizeof(shape->size));
    }
    shape->differs |= memcmp(shape->size, size, sizeof(shape->size)) != 0;
}

/* CUBINET_UNKNOWN is more than any limit; 0 is none. */
static void limit_threads(struct header_bounds *bounds, uint64_t threads)
{
    if (threads > 0 && threads < bounds->max_threads) {
        bounds->max_threads = (uint32_t)threads;
    }
}

static void add_image(struct header_bounds *bounds, const cubinet_kernel_resources *resources)
{
    bounds->held++;
    add_params(bounds, resources);
    limit_threads(bounds, resources->max_threads_per_block);
    limit_threads(bounds, cbn_recorded_volume(resources->max_block)); /* all that PTX tells */
    limit_threads(bounds, cbn_recorded_volume(resources->required_block));
    uint32_t shared = resources->static_shared_bytes;
    if (shared != CUBINET_UNKNOWN &&
        (bounds->static_shared_bytes == CUBINET_UNKNOWN || shared > bounds->static_shared_bytes)) {
        bounds->static_shared_bytes = shared;
    }
    add_shape(&bounds->required_block, resources->required_block);
    add_shape(&bounds->required_cluster, resources->required_cluster);
}

static bool has_tile_kernels(const cubinet_archive *archive, const struct listing_module *module)
{
    for (uint32_t i = 0; i < module->image_count; i++) {
        if (module->images[i].target.kind == CUBINET_IMAGE_TILEIR) {
            return true;
        }
    }
    return cbn_archive_has_global(archive, module->number, CBN_TILE_LAUNCH_DATA);
}

/* They are launched with blocks of one thread, whatever the code was compiled for. */
static void take_tile_shape(struct header_bounds *bounds)
{
    bounds->max_threads = 1;
    bounds->required_block = (struct header_shape){.size = {1, 1, 1}};
    bounds->required_cluster = (struct header_shape){.size = {0}};
}

cubinet_status header_bounds_read(const cubinet_archive *archive, const struct listing_module *module,
                                  uint32_t kernel, struct header_bounds *out_bounds)
{
    struct header_bounds bounds = {
        .param_count = CUBINET_UNKNOWN,
        .max_threads = CUBINET_UNKNOWN,
        .static_shared_bytes = CUBINET_UNKNOWN,
    };
    for (uint32_t i = 0; i < module->image_count; i++) {
        cubinet_kernel_resources resources;
        bool held;
        cubinet_status status = listing_resources(archive, module, i, kernel, &resources, &held);
        if (status) {
            return status;
        }
        if (held) {
            add_image(&bounds, &resources);
        }
    }
    if (bounds.held > 0 && has_tile_kernels(archive, module)) {
        take_tile_shape(&bounds);
    }
    *out_bounds = bounds;
    return CUBINET_OK;
}
