/* SPDX-License-Identifier: Apache-2.0 */
#include "seal.h"

#include "loader/core/archive/digest.h"
#include "loader/core/archive/format.h"

#include <string.h>

/* A part of the bytes that lies within them. */
struct part {
    unsigned char *bytes;
    size_t size;
};

static struct part part_of(struct part whole, uint64_t offset, uint64_t size)
{
    if (offset > whole.size || size > whole.size - offset) {
        return (struct part){0};
    }
    return (struct part){whole.bytes + offset, (size_t)size};
}

/* The index, if there is room for its header. */
static struct part find_index(struct part archive)
{
    if (archive.size < CBN_ZIP_NAME) {
        return (struct part){0};
    }
    uint64_t start = (uint64_t)CBN_ZIP_NAME + cbn_get16(archive.bytes + CBN_ZIP_NAME_SIZE) +
                     cbn_get16(archive.bytes + CBN_ZIP_EXTRA_SIZE);
    struct part header = part_of(archive, start, CBN_HEADER_SIZE);
    return header.bytes ? part_of(archive, start, cbn_get32(header.bytes + CBN_HEADER_INDEX_SIZE)) : header;
}

struct rows {
    struct part all;
    size_t stride;
    size_t count;
};

/* A table of a root or block, whose directory starts at `directory`. */
static struct rows find_rows(struct part set, size_t directory, unsigned int id)
{
    struct part head = part_of(set, directory, CBN_DIRECTORY_SIZE);
    size_t count = head.bytes ? cbn_get16(head.bytes) : 0;
    for (size_t i = 0; i < count; i++) {
        struct part entry = part_of(set, directory + CBN_DIRECTORY_SIZE + i * CBN_DIRECTORY_ENTRY_SIZE,
                                    CBN_DIRECTORY_ENTRY_SIZE);
        if (!entry.bytes) {
            break;
        }
        if (cbn_get16(entry.bytes + CBN_ENTRY_ID) == id) {
            size_t stride = cbn_get16(entry.bytes + CBN_ENTRY_STRIDE);
            size_t rows = cbn_get32(entry.bytes + CBN_ENTRY_COUNT);
            struct part all =
                part_of(set, cbn_get32(entry.bytes + CBN_ENTRY_OFFSET), (uint64_t)stride * rows);
            return (struct rows){all, stride, all.bytes ? rows : 0};
        }
    }
    return (struct rows){0};
}

static void put_digest(struct part digested, unsigned char *place)
{
    struct cbn_digest digest = cbn_digest(digested.bytes, digested.size);
    memcpy(place, digest.bytes, sizeof(digest.bytes));
}

static void seal_images(struct part archive, struct part block)
{
    struct rows images = find_rows(block, 0, CBN_TABLE_IMAGES);
    for (size_t i = 0; images.stride >= CBN_IMAGE_SIZE && i < images.count; i++) {
        unsigned char *row = images.all.bytes + i * images.stride;
        struct part stored =
            part_of(archive, cbn_get64(row + CBN_IMAGE_OFFSET), cbn_get64(row + CBN_IMAGE_STORED_SIZE));
        if (stored.bytes) {
            put_digest(stored, row + CBN_IMAGE_DIGEST);
        }
    }
}

/* The modules that a root or page lists, whose directory starts at `directory`. Offsets of blocks count from
 * the start of the list. */
static void seal_modules(struct part archive, struct part list, size_t directory)
{
    struct rows modules = find_rows(list, directory, CBN_TABLE_MODULES);
    for (size_t i = 0; modules.stride >= CBN_MODULE_SIZE && i < modules.count; i++) {
        unsigned char *row = modules.all.bytes + i * modules.stride;
        struct part block =
            part_of(list, cbn_get32(row + CBN_MODULE_BLOCK_OFFSET), cbn_get32(row + CBN_MODULE_BLOCK_SIZE));
        if (block.bytes) {
            seal_images(archive, block);
            put_digest(block, row + CBN_MODULE_DIGEST);
        }
    }
}

static void seal_pages(struct part archive, struct part index)
{
    struct rows pages = find_rows(index, CBN_HEADER_SIZE, CBN_TABLE_PAGES);
    for (size_t i = 0; pages.stride >= CBN_PAGE_SIZE && i < pages.count; i++) {
        unsigned char *row = pages.all.bytes + i * pages.stride;
        uint32_t offset = cbn_get32(row + CBN_PAGE_OFFSET);
        struct part page = part_of(index, offset, cbn_get32(row + CBN_PAGE_BYTES));
        if (page.bytes) {
            seal_modules(archive, part_of(index, offset, index.size - offset), 0);
            put_digest(page, row + CBN_PAGE_DIGEST);
        }
    }
}

void seal(unsigned char *bytes, size_t size)
{
    struct part archive = {bytes, size};
    struct part index = find_index(archive);
    if (!index.bytes || index.size < CBN_HEADER_SIZE) {
        return;
    }
    cbn_put64(index.bytes + CBN_HEADER_ARCHIVE_SIZE, size);
    struct part root = part_of(index, 0, cbn_get32(index.bytes + CBN_HEADER_ROOT_SIZE));
    if (!root.bytes || root.size < CBN_HEADER_SIZE) {
        return;
    }
    seal_modules(archive, index, CBN_HEADER_SIZE);
    seal_pages(archive, index);
    struct cbn_digest digest = cbn_digest_two(root.bytes, CBN_HEADER_ROOT_DIGEST,
                                              root.bytes + CBN_HEADER_SIZE, root.size - CBN_HEADER_SIZE);
    memcpy(root.bytes + CBN_HEADER_ROOT_DIGEST, digest.bytes, sizeof(digest.bytes));
}
