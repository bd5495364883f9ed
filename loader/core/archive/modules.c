/* SPDX-License-Identifier: Apache-2.0 */
/* The modules of an archive: finding them, and their blocks. */
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/opened.h"
#include "loader/core/archive/rest.h"
#include "loader/core/support/error.h"
#include "loader/core/support/nearest.h"
#include "loader/core/support/sized.h"

#include <stdlib.h>
#include <string.h>

/* A module's place in the list of modules. */
struct place {
    const struct cbn_page *page;
    uint32_t row;
};

static struct cbn_page_place page_place(const cubinet_archive *archive, uint32_t page)
{
    const unsigned char *row = cbn_row(&archive->page_table, page);
    bool is_last = page + 1 == archive->page_count;
    return (struct cbn_page_place){
        .start = cbn_get32(row + CBN_PAGE_OFFSET),
        .size = cbn_get32(row + CBN_PAGE_BYTES),
        .end = is_last ? archive->index_size
                       : cbn_get32(cbn_row(&archive->page_table, page + 1) + CBN_PAGE_OFFSET),
        .is_last = is_last,
    };
}

static cubinet_status read_page(const cubinet_archive *archive, uint32_t page, struct cbn_page **out_page)
{
    const unsigned char *row = cbn_row(&archive->page_table, page);
    struct cbn_stored_page stored = {
        .storage = &archive->storage,
        .place = page_place(archive, page),
        .digest = archive->is_sound ? NULL : row + CBN_PAGE_DIGEST,
        .trust = archive->trust,
        .seal = archive->trust ? cbn_row(&archive->seals, page) : NULL,
        .module_count = cbn_get32(row + CBN_PAGE_MODULES),
        .first = cbn_archive_page_name(archive, page),
    };
    stored.start = archive->index_start + stored.place.start;
    stored.next = stored.place.is_last ? NULL : cbn_archive_page_name(archive, page + 1);
    cubinet_status status = cbn_page_create(&stored, out_page);
    if (status == CUBINET_ERROR_NOT_TRUSTED) {
        return cbn_error_context(status, "%s: its list of modules from '%s' on", archive->name, stored.first);
    }
    if (status == CUBINET_ERROR_DAMAGED || status == CUBINET_ERROR_NEWER_FORMAT) {
        cbn_error_context(status, "its list of modules from '%s' on", stored.first);
    }
    return cbn_archive_refuse(archive, status);
}

cubinet_status cbn_archive_page(const cubinet_archive *archive, uint32_t number,
                                const struct cbn_page **out_page)
{
    struct cbn_page *page = atomic_load_explicit(&archive->pages[number], memory_order_acquire);
    if (!page) {
        struct cbn_page *fresh = NULL;
        cubinet_status status = read_page(archive, number, &fresh);
        if (status) {
            return status;
        }
        /* Threads that use a page first at the same time all read it; one keeps what it read. */
        if (atomic_compare_exchange_strong_explicit(&archive->pages[number], &page, fresh,
                                                    memory_order_acq_rel, memory_order_acquire)) {
            page = fresh;
        } else {
            cbn_page_free(fresh);
        }
    }
    *out_page = page;
    return CUBINET_OK;
}

/* Of a module that exists. */
static cubinet_status find_place(const cubinet_archive *archive, uint32_t module, struct place *out_place)
{
    out_place->row = module % archive->page_modules;
    return cbn_archive_page(archive, module / archive->page_modules, &out_place->page);
}

static const unsigned char *module_row(struct place place)
{
    return cbn_row(&place.page->modules, place.row);
}

static uint32_t block_end(const struct cbn_page *page, uint32_t row)
{
    const unsigned char *module = cbn_row(&page->modules, row);
    return cbn_get32(module + CBN_MODULE_BLOCK_OFFSET) + cbn_get32(module + CBN_MODULE_BLOCK_SIZE);
}

/* A module's block with what is unused before it, and between the last one and the next page: that belongs to
 * no digest. Offsets count from the start of the page. */
struct block_place {
    uint32_t start;
    uint32_t block;
    uint32_t block_end;
    uint32_t end;
};

static struct block_place block_place(struct place place)
{
    const struct cbn_page *page = place.page;
    bool is_last = place.row + 1 == page->modules.count;
    struct block_place found = {
        .start = place.row == 0 ? page->place.size : block_end(page, place.row - 1),
        .block = cbn_get32(module_row(place) + CBN_MODULE_BLOCK_OFFSET),
        .block_end = block_end(page, place.row),
    };
    found.end = is_last ? page->place.end - page->place.start : found.block_end;
    return found;
}

static cubinet_status check_zeros(const unsigned char *bytes, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        if (bytes[i]) {
            return cbn_error(CUBINET_ERROR_DAMAGED, "unused bytes beside its block are set");
        }
    }
    return CUBINET_OK;
}

static cubinet_status check_gaps(const unsigned char *bytes, const struct block_place *place)
{
    cubinet_status status = check_zeros(bytes, place->block - place->start);
    return status ? status
                  : check_zeros(bytes + (place->block_end - place->start), place->end - place->block_end);
}

/* A program's own limit on images may be lower. */
static uint64_t block_limit(const cubinet_archive *archive, uint32_t stored_size)
{
    uint64_t limit = cbn_block_limit(stored_size);
    return archive->max_image_size && archive->max_image_size < limit ? archive->max_image_size : limit;
}

/* Blocks stay until the archive is closed, so all of them together have a limit, too. Threads may be beyond
 * it by what each is reading. */
static cubinet_status check_unpacked(const cubinet_archive *archive, uint32_t raw_size)
{
    uint64_t limit = cbn_index_limit(archive->index_size);
    if (atomic_load_explicit(&archive->unpacked, memory_order_relaxed) + raw_size <= limit) {
        return CUBINET_OK;
    }
    return cbn_error(CUBINET_ERROR_LIMIT,
                     "with it the index takes more than %llu bytes of memory, the limit for its %u bytes",
                     (unsigned long long)limit, (unsigned)archive->index_size);
}

/* What records tell is bounded by the archive, whatever its index inflates to. */
static cubinet_status check_told(const cubinet_archive *archive, const struct cbn_block *block)
{
    uint64_t limit = cbn_told_limit(archive->storage.size);
    if (atomic_load_explicit(&archive->told, memory_order_relaxed) + block->told <= limit) {
        return CUBINET_OK;
    }
    return cbn_error(CUBINET_ERROR_LIMIT,
                     "with it the records name the same kernels, parameters, sources and tuned sets too "
                     "often: in more than %llu bytes, the limit for an archive of %llu bytes",
                     (unsigned long long)limit, (unsigned long long)archive->storage.size);
}

/* Counts a block that stays. */
static void count(const cubinet_archive *archive, struct place place, const struct cbn_block *block)
{
    /* How much is in memory is not part of what an archive says, which never changes. */
    cubinet_archive *counted = (cubinet_archive *)archive;
    atomic_fetch_add_explicit(&counted->unpacked, cbn_get32(module_row(place) + CBN_MODULE_BLOCK_RAW_SIZE),
                              memory_order_relaxed);
    atomic_fetch_add_explicit(&counted->told, block->told, memory_order_relaxed);
}

/* A module's block as the index has it. */
static struct cbn_stored_block stored_block(const cubinet_archive *archive, struct place place)
{
    const unsigned char *row = module_row(place);
    uint32_t size = cbn_get32(row + CBN_MODULE_BLOCK_SIZE);
    return (struct cbn_stored_block){
        .size = size,
        .raw_size = cbn_get32(row + CBN_MODULE_BLOCK_RAW_SIZE),
        .digest = archive->is_sound ? NULL : row + CBN_MODULE_DIGEST,
        .trust = archive->trust,
        .seal = archive->trust ? cbn_row(&place.page->seals, place.row) : NULL,
        .images_start = archive->index_start + archive->index_size,
        .images_end = archive->storage.size,
        .module = cbn_page_module_name(place.page, place.row),
        .limit = block_limit(archive, size),
    };
}

/* Checks what was read of the index where the block is. */
static cubinet_status check_block(const cubinet_archive *archive, const struct block_place *place,
                                  const unsigned char *bytes, struct cbn_stored_block *stored,
                                  struct cbn_block **out_block)
{
    cubinet_status status = check_gaps(bytes, place);
    stored->bytes = bytes + (place->block - place->start);
    /* An archive's contexts change, the archive doesn't. */
    return status ? status : cbn_block_create(stored, &((cubinet_archive *)archive)->spare, out_block);
}

/* Adds to a message of what is wrong with a block whose it is. CUBINET_OK and other failures pass. */
static cubinet_status refuse_block(const cubinet_archive *archive, const char *module, cubinet_status status)
{
    switch (status) {
    case CUBINET_ERROR_LIMIT:
        return cbn_error_context(status, "the index of module '%s' in %s", module, archive->name);
    case CUBINET_ERROR_NOT_TRUSTED:
        return cbn_error_context(status, "%s: module '%s'", archive->name, module);
    case CUBINET_ERROR_DAMAGED:
    case CUBINET_ERROR_NEWER_FORMAT:
        cbn_error_context(status, "module '%s'", module);
        break;
    default:
        break;
    }
    return cbn_archive_refuse(archive, status);
}

static cubinet_status read_block(const cubinet_archive *archive, uint32_t module, struct place place,
                                 struct cbn_block **out_block)
{
    struct cbn_stored_block stored = stored_block(archive, place);
    struct block_place where = block_place(place);
    struct cbn_taken taken = {0};
    if (stored.raw_size && place.row > 0) {
        /* Compressed blocks share the bytes of their page's first one. */
        cubinet_status status = cbn_archive_block(archive, module - place.row, &stored.base);
        if (status) {
            return status;
        }
    }
    cubinet_status status =
        cbn_storage_take(&archive->storage, archive->index_start + place.page->place.start + where.start,
                         where.end - where.start, cbn_storage_is_file(&archive->storage), &taken);
    if (!status) {
        status = check_unpacked(archive, stored.raw_size);
    }
    if (!status) {
        status = check_block(archive, &where, taken.bytes, &stored, out_block);
    }
    if (!status) {
        status = check_told(archive, *out_block);
        if (status) {
            cbn_block_free(*out_block);
        }
    }
    free(taken.owned);
    return refuse_block(archive, stored.module, status);
}

cubinet_status cbn_archive_block(const cubinet_archive *archive, uint32_t module,
                                 const struct cbn_block **out_block)
{
    if (!archive) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "the archive is NULL");
    }
    if (module >= archive->module_count) {
        return cbn_error(CUBINET_ERROR_NOT_FOUND, "%s has %u modules, numbered from 0: there is no number %u",
                         archive->name, (unsigned)archive->module_count, (unsigned)module);
    }
    struct place place;
    cubinet_status status = find_place(archive, module, &place);
    if (status) {
        return status;
    }
    _Atomic(struct cbn_block *) *kept = &place.page->blocks[place.row];
    struct cbn_block *block = atomic_load_explicit(kept, memory_order_acquire);
    if (!block) {
        struct cbn_block *fresh = NULL;
        status = read_block(archive, module, place, &fresh);
        if (status) {
            return status;
        }
        /* Threads that use a module first at the same time all read it; one keeps what it read. */
        if (atomic_compare_exchange_strong_explicit(kept, &block, fresh, memory_order_acq_rel,
                                                    memory_order_acquire)) {
            block = fresh;
            count(archive, place, block);
        } else {
            cbn_block_free(fresh);
        }
    }
    *out_block = block;
    return CUBINET_OK;
}

bool cbn_archive_block_is_packed(const cubinet_archive *archive, uint32_t module)
{
    struct place place;
    return !find_place(archive, module, &place) &&
           cbn_get32(module_row(place) + CBN_MODULE_BLOCK_RAW_SIZE) != 0;
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
        .image_count = cbn_block_image_count(block),
        .kernel_count = block->kernels.count,
        .global_count = block->globals.count,
    };
    return cbn_sized_write(out_info, "cubinet_module_info", &info, sizeof(info));
}

void cbn_archive_offer_modules(const cubinet_archive *archive, struct cbn_nearest *nearest)
{
    for (uint32_t i = 0; i < archive->page_count; i++) {
        const struct cbn_page *page = NULL;
        if (cbn_archive_page(archive, i, &page)) {
            continue;
        }
        for (uint32_t row = 0; row < page->modules.count; row++) {
            cbn_nearest_offer(nearest, cbn_page_module_name(page, row));
        }
    }
}

static cubinet_status no_module(const cubinet_archive *archive, const char *name)
{
    if (cbn_archive_left_out(archive, name)) {
        return cbn_archive_was_left_out(archive, "module", name);
    }
    struct cbn_nearest nearest;
    cbn_nearest_start(&nearest, name, strlen(name));
    cbn_archive_offer_modules(archive, &nearest);
    const char *found = cbn_nearest_found(&nearest);
    if (found) {
        return cbn_error(CUBINET_ERROR_NOT_FOUND, "%s has no module '%s'; the nearest is '%s'", archive->name,
                         name, found);
    }
    return cbn_error(CUBINET_ERROR_NOT_FOUND, "%s has no module '%s', nor any like it among its %u",
                     archive->name, name, (unsigned)archive->module_count);
}

/* The number of the page where a module of that name would be listed; false if it would come before all. */
static bool choose_page(const cubinet_archive *archive, const char *name, uint32_t *out_page)
{
    uint32_t low = 0;
    uint32_t high = archive->page_table.count;
    if (high == 0) {
        *out_page = 0; /* the root is the only page */
        return true;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(name, cbn_archive_page_name(archive, middle)) < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    *out_page = low - 1;
    return low > 0;
}

cubinet_status cbn_archive_seek_module(const cubinet_archive *archive, const char *name, bool *out_found,
                                       uint32_t *out_module)
{
    uint32_t number = 0;
    uint32_t row = 0;
    const struct cbn_page *page = NULL;
    if (!choose_page(archive, name, &number)) {
        *out_found = false;
        return CUBINET_OK;
    }
    cubinet_status status = cbn_archive_page(archive, number, &page);
    if (status) {
        return status;
    }
    *out_found = cbn_page_find(page, name, &row);
    if (*out_found) {
        *out_module = number * archive->page_modules + row;
    }
    return CUBINET_OK;
}

cubinet_status cubinet_archive_find_module(const cubinet_archive *archive, const char *name,
                                           uint32_t *out_module)
{
    if (!archive || !name || !out_module) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "the archive, the module's name or the place for it is NULL");
    }
    bool is_found = false;
    cubinet_status status = cbn_archive_seek_module(archive, name, &is_found, out_module);
    return status || is_found ? status : no_module(archive, name);
}
