/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/archive/page.h"

#include "loader/core/archive/digest.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

enum { STRINGS, MODULES, SEALS, PAGE_TABLES };

static const struct cbn_table_kind page_tables[PAGE_TABLES] = {
    [STRINGS] = {CBN_TABLE_STRINGS, 1},
    [MODULES] = {CBN_TABLE_MODULES, CBN_MODULE_SIZE},
    [SEALS] = {CBN_TABLE_SEALS, CBN_SEAL_SIZE},
};

static cubinet_status module_error(uint32_t row, const char *what)
{
    return cbn_error(CUBINET_ERROR_DAMAGED, "%s of module number %u", what, (unsigned)row);
}

/* The first use of a page spends its time here: one pass, and nothing but the page is touched. */
static cubinet_status check_modules(const struct cbn_page *page)
{
    const char *previous = "";
    uint64_t end = page->place.size;
    uint64_t room = page->place.end - page->place.start;
    uint64_t name_room = cbn_string_room(page->place.size);
    for (uint32_t i = 0; i < page->modules.count; i++) {
        const unsigned char *row = cbn_row(&page->modules, i);
        const char *name = cbn_take_module_name(&page->strings, cbn_get32(row + CBN_MODULE_NAME), &name_room);
        /* "" is less than any other name, so this refuses an empty one too. */
        if (!name || strcmp(previous, name) >= 0) {
            return module_error(i, "missing, malformed or misplaced name");
        }
        uint32_t offset = cbn_get32(row + CBN_MODULE_BLOCK_OFFSET);
        uint32_t size = cbn_get32(row + CBN_MODULE_BLOCK_SIZE);
        if (offset != cbn_align(end) || size > room || offset > room - size) {
            return module_error(i, "misplaced block");
        }
        previous = name;
        end = (uint64_t)offset + size;
    }
    /* The index ends with the last block; between a block and the next page there may be a gap. */
    if ((page->place.is_last ? end : cbn_align(end)) != room) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "what follows its last module is misplaced");
    }
    return CUBINET_OK;
}

/* A page's names lie from the one that the root says to before the next page's. */
static cubinet_status check_names(const struct cbn_page *page, const struct cbn_stored_page *stored)
{
    if (page->modules.count != stored->module_count) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "it has %u modules, by the root %u",
                         (unsigned)page->modules.count, (unsigned)stored->module_count);
    }
    if (strcmp(cbn_page_module_name(page, 0), stored->first) != 0 ||
        (stored->next && strcmp(cbn_page_module_name(page, page->modules.count - 1), stored->next) >= 0)) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "its modules are not those that the root says");
    }
    return CUBINET_OK;
}

static cubinet_status check_seals(const struct cbn_page *page, const struct cbn_trust *trust)
{
    if (page->seals.count != 0 && page->seals.count != page->modules.count) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "it has %u modules, and %u digests of them for a signature",
                         (unsigned)page->modules.count, (unsigned)page->seals.count);
    }
    if (trust && page->seals.count == 0) {
        return cbn_error(CUBINET_ERROR_NOT_TRUSTED, "the signature does not cover its modules");
    }
    return CUBINET_OK;
}

static cubinet_status make_blocks(struct cbn_page *page)
{
    page->blocks = calloc(page->modules.count, sizeof(*page->blocks));
    return page->blocks ? CUBINET_OK : cbn_error_memory();
}

/* The bytes have been copied before they are compared: whoever may write to the archive's file must not be
 * able to alter what was checked. */
static cubinet_status check_bytes(const struct cbn_page *page, const struct cbn_stored_page *stored)
{
    if (stored->trust && !cbn_trust_matches(stored->trust, page->bytes, page->place.size, stored->seal)) {
        return cbn_error(CUBINET_ERROR_NOT_TRUSTED, "it was altered after it was signed");
    }
    if (stored->digest && !cbn_digest_matches(page->bytes, page->place.size, stored->digest)) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "it does not have the digest that the archive says");
    }
    return CUBINET_OK;
}

static cubinet_status read_tables(struct cbn_page *page)
{
    struct cbn_table tables[PAGE_TABLES];
    cubinet_status status =
        cbn_tables_read(page->bytes, page->place.size, 0, page_tables, PAGE_TABLES, tables);
    if (!status) {
        page->strings = tables[STRINGS];
        page->modules = tables[MODULES];
        page->seals = tables[SEALS];
    }
    return status;
}

/* Of a page whose bytes are in place. */
static cubinet_status fill(struct cbn_page *page, const struct cbn_stored_page *stored)
{
    cubinet_status status = check_bytes(page, stored);
    if (!status) {
        status = read_tables(page);
    }
    if (!status) {
        status = check_modules(page);
    }
    if (!status) {
        status = check_names(page, stored);
    }
    if (!status) {
        status = check_seals(page, stored->trust);
    }
    return status ? status : make_blocks(page);
}

cubinet_status cbn_page_create(const struct cbn_stored_page *stored, struct cbn_page **out_page)
{
    struct cbn_page *page = malloc(sizeof(*page) + stored->place.size);
    if (!page) {
        return cbn_error_memory();
    }
    *page = (struct cbn_page){.place = stored->place};
    cubinet_status status = cbn_storage_read(stored->storage, stored->start, stored->place.size, page->bytes);
    if (!status) {
        status = fill(page, stored);
    }
    if (status) {
        cbn_page_free(page);
        return status;
    }
    *out_page = page;
    return CUBINET_OK;
}

cubinet_status cbn_page_create_root(const struct cbn_table *strings, const struct cbn_table *modules,
                                    const struct cbn_table *seals, struct cbn_page_place place,
                                    struct cbn_page **out_page)
{
    struct cbn_page *page = malloc(sizeof(*page));
    if (!page) {
        return cbn_error_memory();
    }
    *page = (struct cbn_page){.place = place, .strings = *strings, .modules = *modules, .seals = *seals};
    cubinet_status status = check_modules(page);
    if (!status && modules->count > 0) {
        status = make_blocks(page);
    }
    if (status) {
        cbn_page_free(page);
        return status;
    }
    *out_page = page;
    return CUBINET_OK;
}

void cbn_page_free(struct cbn_page *page)
{
    if (!page) {
        return;
    }
    for (uint32_t i = 0; page->blocks && i < page->modules.count; i++) {
        cbn_block_free(atomic_load_explicit(&page->blocks[i], memory_order_relaxed));
    }
    free(page->blocks);
    free(page);
}

bool cbn_page_find(const struct cbn_page *page, const char *name, uint32_t *out_row)
{
    return cbn_find_string(&page->modules, &page->strings, CBN_MODULE_NAME, name, out_row);
}
