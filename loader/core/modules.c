/* SPDX-License-Identifier: Apache-2.0 */
/* The modules of an archive: finding them, and their blocks. */
#include "cbn_archive.h"
#include "error.h"
#include "nearest.h"
#include "opened.h"
#include "sized.h"

#include <string.h>

static const char *module_name(const cubinet_archive *archive, uint32_t module)
{
    return cbn_string_at(&archive->strings, cbn_row(&archive->modules, module) + CBN_MODULE_NAME);
}

/* Where what lies before a module's block ends. */
static uint32_t end_before(const cubinet_archive *archive, uint32_t module)
{
    if (module == 0) {
        return cbn_get32(archive->index + CBN_HEADER_ROOT_SIZE);
    }
    const unsigned char *row = cbn_row(&archive->modules, module - 1);
    return cbn_get32(row + CBN_MODULE_BLOCK_OFFSET) + cbn_get32(row + CBN_MODULE_BLOCK_SIZE);
}

/* The gap before a block belongs to no digest. */
static cubinet_status check_gap(const cubinet_archive *archive, uint32_t module, uint32_t offset)
{
    for (uint32_t i = end_before(archive, module); i < offset; i++) {
        if (archive->index[i]) {
            return cbn_error(CUBINET_ERROR_DAMAGED, "unused bytes before its block are set");
        }
    }
    return CUBINET_OK;
}

static cubinet_status read_block(const cubinet_archive *archive, uint32_t module,
                                 struct cbn_block **out_block)
{
    const unsigned char *row = cbn_row(&archive->modules, module);
    uint32_t offset = cbn_get32(row + CBN_MODULE_BLOCK_OFFSET);
    struct cbn_stored_block stored = {
        .bytes = archive->index + offset,
        .size = cbn_get32(row + CBN_MODULE_BLOCK_SIZE),
        .raw_size = cbn_get32(row + CBN_MODULE_BLOCK_RAW_SIZE),
        .digest = archive->is_sound ? NULL : row + CBN_MODULE_DIGEST,
        .trust = archive->trust,
        .seal = archive->trust ? cbn_row(&archive->seals, module) : NULL,
        .images_start = (uint64_t)(archive->index - archive->bytes) + archive->index_size,
        .images_end = archive->size,
        .module = module_name(archive, module),
    };
    stored.limit = cbn_frame_limit(archive->max_image_size, stored.size);
    cubinet_status status = check_gap(archive, module, offset);
    if (!status && stored.raw_size && module > 0) {
        /* Compressed blocks share the first one's bytes. */
        status = cbn_archive_block(archive, 0, &stored.base);
        if (status) {
            return status;
        }
    }
    if (!status) {
        /* An archive's contexts change, the archive doesn't. */
        status = cbn_block_create(&stored, &((cubinet_archive *)archive)->spare, out_block);
    }
    if (status == CUBINET_ERROR_LIMIT) {
        return cbn_error_context(status, "the index of module '%s' in %s", stored.module, archive->name);
    }
    if (status == CUBINET_ERROR_NOT_TRUSTED) {
        return cbn_error_context(status, "%s: module '%s'", archive->name, stored.module);
    }
    if (status == CUBINET_ERROR_DAMAGED || status == CUBINET_ERROR_NEWER_FORMAT) {
        cbn_error_context(status, "module '%s'", stored.module);
    }
    return cbn_archive_refuse(archive, status);
}

cubinet_status cbn_archive_block(const cubinet_archive *archive, uint32_t module,
                                 const struct cbn_block **out_block)
{
    if (!archive) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "the archive is NULL");
    }
    if (module >= archive->modules.count) {
        return cbn_error(CUBINET_ERROR_NOT_FOUND, "%s has %u modules; there is no number %u", archive->name,
                         (unsigned)archive->modules.count, (unsigned)module);
    }
    struct cbn_block *block = atomic_load_explicit(&archive->blocks[module], memory_order_acquire);
    if (!block) {
        struct cbn_block *fresh = NULL;
        cubinet_status status = read_block(archive, module, &fresh);
        if (status) {
            return status;
        }
        /* Threads that use a module first at the same time all read it; one keeps what it read. */
        if (atomic_compare_exchange_strong_explicit(&archive->blocks[module], &block, fresh,
                                                    memory_order_acq_rel, memory_order_acquire)) {
            block = fresh;
        } else {
            cbn_block_free(fresh);
        }
    }
    *out_block = block;
    return CUBINET_OK;
}

cubinet_status cubinet_archive_get_module(const cubinet_archive *archive, uint32_t module,
                                          cubinet_module_info *out_info)
{
    const struct cbn_block *block = NULL;
    cubinet_status status = cbn_archive_block(archive, module, &block);
    if (status) {
        return status;
    }
    cubinet_module_info info = {
        .name = block->module,
        .image_count = block->images.count,
        .kernel_count = block->kernels.count,
        .global_count = block->globals.count,
    };
    return cbn_sized_write(out_info, "cubinet_module_info", &info, sizeof(info));
}

void cbn_archive_offer_modules(const cubinet_archive *archive, struct cbn_nearest *nearest)
{
    for (uint32_t i = 0; i < archive->modules.count; i++) {
        cbn_nearest_offer(nearest, module_name(archive, i));
    }
}

static cubinet_status no_module(const cubinet_archive *archive, const char *name)
{
    struct cbn_nearest nearest;
    cbn_nearest_start(&nearest, name, strlen(name));
    cbn_archive_offer_modules(archive, &nearest);
    const char *found = cbn_nearest_found(&nearest);
    if (found) {
        return cbn_error(CUBINET_ERROR_NOT_FOUND, "%s has no module '%s'; the nearest is '%s'", archive->name,
                         name, found);
    }
    return cbn_error(CUBINET_ERROR_NOT_FOUND, "%s has no module '%s', nor any like it among its %u",
                     archive->name, name, (unsigned)archive->modules.count);
}

bool cbn_archive_has_module(const cubinet_archive *archive, const char *name, uint32_t *out_module)
{
    uint32_t low = 0;
    uint32_t high = archive->modules.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(name, module_name(archive, middle));
        if (order == 0) {
            *out_module = middle;
            return true;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return false;
}

cubinet_status cubinet_archive_find_module(const cubinet_archive *archive, const char *name,
                                           uint32_t *out_module)
{
    if (!archive || !name || !out_module) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "the archive, the module's name or the place for it is NULL");
    }
    return cbn_archive_has_module(archive, name, out_module) ? CUBINET_OK : no_module(archive, name);
}
