/* SPDX-License-Identifier: Apache-2.0 */
/* A page: modules that are listed, and checked, together. An archive of many modules has many; in others the
 * root is the only one. docs/reference/format.md, "Pages".
 *
 * As a block, a page is a checked copy. So is the root of a file; that of an archive in memory is read in
 * place. */
#ifndef CBN_PAGE_H
#define CBN_PAGE_H

#include "loader/core/archive/block.h"
#include "loader/core/archive/storage.h"
#include "loader/core/archive/tables.h"
#include "loader/core/archive/trust.h"

#include <stdatomic.h>
#include <stdbool.h>

/* A page and its modules' blocks in the archive's index. Offsets in a page count from `start`. */
struct cbn_page_place {
    uint32_t start; /* from the start of the index */
    uint32_t size;  /* of the page alone */
    uint32_t end;   /* where what follows its last block starts, or the index ends */
    bool is_last;
};

struct cbn_page {
    struct cbn_page_place place;
    struct cbn_table strings;
    struct cbn_table modules;
    struct cbn_table seals; /* of the modules' blocks, as many as modules in a signed archive */
    /* For each module its block once it is used, NULL before. */
    _Atomic(struct cbn_block *) *blocks;
    unsigned char bytes[];
};

/* A page in the archive's index, and what is known of it before it is read. */
struct cbn_stored_page {
    const struct cbn_storage *storage;
    uint64_t start; /* of its bytes in the storage */
    struct cbn_page_place place;
    const unsigned char *digest;   /* NULL: the bytes are known to be sound */
    const struct cbn_trust *trust; /* NULL: nothing has to be trusted */
    const unsigned char *seal;     /* of the bytes, with trust */
    uint32_t module_count;
    const char *first; /* name of its first module */
    const char *next;  /* name of the next page's first module; NULL: it is the last page */
};

/* Copies a page, and checks its digest and the rules for what is in it. The message says neither which
 * archive nor which page. */
cubinet_status cbn_page_create(const struct cbn_stored_page *stored, struct cbn_page **out_page);

/* The page that a root is which lists modules itself: the rules for them are checked, its digest is not. */
cubinet_status cbn_page_create_root(const struct cbn_table *strings, const struct cbn_table *modules,
                                    const struct cbn_table *seals, struct cbn_page_place place,
                                    struct cbn_page **out_page);

void cbn_page_free(struct cbn_page *page);

/* Whether the page has a module of that name, and its row. */
bool cbn_page_find(const struct cbn_page *page, const char *name, uint32_t *out_row);

static inline const char *cbn_page_module_name(const struct cbn_page *page, uint32_t row)
{
    return cbn_string_at(&page->strings, cbn_row(&page->modules, row) + CBN_MODULE_NAME);
}

#endif
