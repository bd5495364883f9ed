/* SPDX-License-Identifier: Apache-2.0 */
/* An open archive from the inside: for the files of core/ that read it. */
#ifndef CBN_OPENED_H
#define CBN_OPENED_H

#include "loader/core/archive/block.h"
#include "loader/core/archive/page.h"
#include "loader/core/archive/storage.h"
#include "loader/core/archive/tables.h"
#include "loader/core/archive/trust.h"
#include "loader/core/archive/unpack.h"
#include "loader/core/support/sha256.h"

#include <cubinet/archive.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct cbn_archive_holder;

struct cubinet_archive {
    atomic_uint references;
    pthread_mutex_t holding; /* over the holders */
    struct cbn_archive_holder *holders;
    struct cbn_storage storage;
    bool is_sound;           /* no digest has to be compared any more */
    uint64_t max_image_size; /* 0: the default, see cbn_frame_limit() */
    struct cbn_trust *trust; /* NULL: the program gave no public keys, and takes any archive */
    struct cbn_unpack_spare spare;
    atomic_ullong unpacked; /* bytes that compressed blocks have inflated to */
    atomic_ullong told;     /* bytes that the records of blocks in memory tell: see cbn_block_tell() */

    uint64_t index_start;
    uint32_t index_size;
    const unsigned char *root; /* the start of the index, with what is unused after it */
    uint32_t root_size;
    unsigned char *owned_root; /* a copy that it is; NULL: it is read in place */
    uint16_t format_major;
    uint16_t format_minor;
    struct cbn_table strings; /* of the root */
    struct cbn_table info;
    struct cbn_table page_table; /* no row: the modules are in the root, which is the only page */
    struct cbn_table seals;      /* of the pages, as many as pages in a signed archive that has some */
    struct cbn_table signatures; /* no row: it is not signed */
    struct cbn_table properties;

    uint32_t module_count;
    uint32_t page_modules; /* modules of each page but the last, which has no more */
    uint32_t page_count;
    _Atomic(struct cbn_page *) *pages; /* each once it is used, NULL before */

    _Atomic(struct cubinet_archive *) rest; /* what was left out of it, once it was asked for; NULL before */

    char name[]; /* for messages: its path in quotes, or "the archive in memory" */
};

/* An archive that takes over the storage, with one reference and nothing read; NULL if memory is out. `path`
 * is NULL for memory of the caller's. */
struct cubinet_archive *cbn_archive_create(const struct cbn_storage *storage, const char *path);

/* What the program's close does to what the archive is read from, which depends on who holds it. */
void cbn_archive_leave(struct cubinet_archive *archive);

/* Adds to a message that says what is wrong inside an archive which archive it is. CUBINET_OK and other
 * failures pass. */
cubinet_status cbn_archive_refuse(const cubinet_archive *archive, cubinet_status status);

/* How much of a file is read at once when it is opened: the header, and of most archives all of the root. */
enum { CBN_START_SIZE = 8 << 10 };

/* Checks the root: header, tables, pages or modules. Fills the archive's members from `index_start` on.
 * `start` are the first bytes of the archive: all, or of a file CBN_START_SIZE at most. */
cubinet_status cbn_root_read(struct cubinet_archive *archive, const unsigned char *start, size_t start_size);

/* A page or the block of a module, which is read and checked if this is its first use. Any number of threads
 * may ask at the same time. They live as long as the archive. */
cubinet_status cbn_archive_page(const cubinet_archive *archive, uint32_t page,
                                const struct cbn_page **out_page);
cubinet_status cbn_archive_block(const cubinet_archive *archive, uint32_t module,
                                 const struct cbn_block **out_block);

/* The row of the resource table for a kernel in an image, and the block that it is in;
 * CUBINET_ERROR_NOT_FOUND if there is none. */
cubinet_status cbn_archive_resources(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                     uint32_t kernel, const struct cbn_block **out_block,
                                     const unsigned char **out_row);

/* What a row of the resource table says. */
cubinet_kernel_resources cbn_resources_of(const struct cbn_block *block, const unsigned char *row);

/* The digest of a part's stored bytes, which are checked as if it were read. */
cubinet_status cbn_archive_digest_part(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                       uint32_t part, struct cbn_sha256 *out_digest);

/* The name of a page's first module, which is all that is known of it before its first use. */
static inline const char *cbn_archive_page_name(const cubinet_archive *archive, uint32_t page)
{
    return cbn_string_at(&archive->strings, cbn_row(&archive->page_table, page) + CBN_PAGE_NAME);
}

#endif
