/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/check_index.h"

#include "archive/check_names.h"
#include "archive/check_rows.h"
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/opened.h"
#include "origin/signing_key.h"
#include "origin/spdx_license.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The minor version since which there is something. */
enum { COMPRESSED_SINCE = 2, ABI_SINCE = 2, PAGES_SINCE = 3, PARTS_SINCE = 5 };

static const struct {
    uint16_t table;
    unsigned since;
} tables_since[] = {
    {CBN_TABLE_SEALS, 2},       {CBN_TABLE_SIGNATURES, 2},    {CBN_TABLE_PROPERTIES, 2},
    {CBN_TABLE_PAGES, 3},       {CBN_TABLE_PIECES, 1},        {CBN_TABLE_SYMBOLS, 1},
    {CBN_TABLE_IMAGE_SEALS, 2}, {CBN_TABLE_ORIGINS, 2},       {CBN_TABLE_SOURCES, 2},
    {CBN_TABLE_LAUNCHES, 4},    {CBN_TABLE_HIDDEN_PARAMS, 4}, {CBN_TABLE_PARAM_NAMES, 4},
    {CBN_TABLE_PARTS, 5},       {CBN_TABLE_PART_GLOBALS, 5},  {CBN_TABLE_TUNED_SETS, 6},
    {CBN_TABLE_INSTANCES, 6},   {CBN_TABLE_GPUS, 6},          {CBN_TABLE_TUNINGS, 6},
};

struct index_check {
    const cubinet_archive *archive;
    const unsigned char *index;
    struct problems *problems;
    unsigned reader;     /* minor of the oldest reader for what has been seen */
    uint64_t names_left; /* for check_names() */
};

/* A root, page or block that the reader has taken. */
struct set {
    char where[96]; /* for messages */
    const unsigned char *bytes;
    uint32_t size;
    uint32_t directory;
};

__attribute__((format(printf, 2, 3))) static void set_where(struct set *set, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(set->where, sizeof(set->where), format, args);
    va_end(args);
}

static bool is_before(const struct index_check *check, unsigned since)
{
    return check->archive->format_major == 1 && check->archive->format_minor < since;
}

static void check_since(const struct index_check *check, const struct set *set, const char *what,
                        unsigned since)
{
    if (is_before(check, since)) {
        problems_add(check->problems, "%s: %s is of format 1.%u, and the archive says 1.%u", set->where, what,
                     since, check->archive->format_minor);
    }
}

static void check_table_since(const struct index_check *check, const struct set *set, uint16_t table)
{
    for (size_t i = 0; i < sizeof(tables_since) / sizeof(tables_since[0]); i++) {
        if (tables_since[i].table == table) {
            char what[16];
            snprintf(what, sizeof(what), "table 0x%04x", table);
            check_since(check, set, what, tables_since[i].since);
        }
    }
}

/* Where a table lies in its set. */
struct extent {
    uint64_t start;
    uint64_t end;
};

static int compare_extents(const void *a, const void *b)
{
    const struct extent *left = a;
    const struct extent *right = b;
    return (left->start > right->start) - (left->start < right->start);
}

/* The tables that have rows, as they lie in the set; how many. */
static size_t list_tables(const struct index_check *check, const struct set *set,
                          struct extent extents[CBN_DIRECTORY_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < cbn_get16(set->bytes + set->directory); i++) {
        const unsigned char *entry =
            set->bytes + set->directory + CBN_DIRECTORY_SIZE + i * CBN_DIRECTORY_ENTRY_SIZE;
        uint32_t start = cbn_get32(entry + CBN_ENTRY_OFFSET);
        uint64_t size = (uint64_t)cbn_get16(entry + CBN_ENTRY_STRIDE) * cbn_get32(entry + CBN_ENTRY_COUNT);
        check_table_since(check, set, cbn_get16(entry + CBN_ENTRY_ID));
        if (size > 0) {
            extents[count++] = (struct extent){start, start + size};
        }
    }
    qsort(extents, count, sizeof(*extents), compare_extents);
    return count;
}

static bool are_zero(const unsigned char *bytes, uint64_t start, uint64_t end)
{
    for (uint64_t i = start; i < end; i++) {
        if (bytes[i]) {
            return false;
        }
    }
    return true;
}

/* Each table follows the one before, with nothing but padding between. */
static void check_set(const struct index_check *check, const struct set *set)
{
    struct extent extents[CBN_DIRECTORY_MAX];
    size_t count = list_tables(check, set, extents);
    uint64_t end = set->directory + CBN_DIRECTORY_SIZE +
                   (uint64_t)cbn_get16(set->bytes + set->directory) * CBN_DIRECTORY_ENTRY_SIZE;
    for (size_t i = 0; i < count; i++) {
        if (extents[i].start != cbn_align(end) || !are_zero(set->bytes, end, extents[i].start)) {
            problems_add(check->problems, "%s: there are bytes between its tables, from %llu to %llu",
                         set->where, (unsigned long long)end, (unsigned long long)extents[i].start);
        }
        end = extents[i].end;
    }
    if (end != set->size) {
        problems_add(check->problems, "%s: there are %llu bytes after its last table", set->where,
                     (unsigned long long)(set->size - end));
    }
}

/* Whether a set has seals to compare: as many as it lists parts if the archive is signed, none if it is not.
 */
static bool check_seal_count(const struct index_check *check, const struct set *set,
                             const struct cbn_table *seals, uint32_t parts)
{
    bool is_signed = check->archive->signatures.count > 0;
    uint32_t wanted = is_signed ? parts : 0;
    if (seals->count == wanted && is_signed && !signing_is_built_in) {
        problems_add(check->problems,
                     "%s: its seals can't be compared, since this cubinet was built without libsodium",
                     set->where);
        return false;
    }
    if (seals->count == wanted) {
        return is_signed;
    }
    problems_add(check->problems, "%s: it has %u seals; in %s archive there would be %u", set->where,
                 seals->count, is_signed ? "a signed" : "an unsigned", wanted);
    return false;
}

static void check_seal(const struct index_check *check, const struct cbn_table *seals, uint32_t row,
                       const void *bytes, size_t size, const char *where)
{
    unsigned char seal[CBN_SEAL_SIZE];
    signing_seal(bytes, size, seal);
    if (memcmp(cbn_row(seals, row), seal, sizeof(seal)) != 0) {
        problems_add(check->problems, "%s does not have the seal that is signed", where);
    }
}

/* A row of the image table that is looked at. */
struct image_row {
    uint32_t number;
    cubinet_image_info info;
    const unsigned char *bytes; /* as stored; NULL: one that can't be read is reported as that */
    char where[LISTING_PART_TEXT_SIZE];
};

static struct image_row read_row(const struct index_check *check, const struct cbn_block *block,
                                 const struct listing_module *module, uint32_t number)
{
    struct image_row row = {.number = number, .info = cbn_block_row(block, number)};
    uint32_t image = cbn_block_row_image(block, number);
    uint32_t part = number - cbn_block_first_row(block, image);
    const void *bytes = NULL;
    listing_part_text(module, image, part, row.where);
    if (!cbn_archive_part_bytes(check->archive, module->number, image, part, &bytes)) {
        row.bytes = bytes;
    }
    return row;
}

static void check_image_seals(const struct index_check *check, const struct set *set,
                              const struct cbn_block *block, const struct listing_module *module)
{
    if (!check_seal_count(check, set, &block->seals, block->images.count)) {
        return;
    }
    for (uint32_t i = 0; i < block->images.count; i++) {
        struct image_row row = read_row(check, block, module, i);
        if (row.bytes) {
            check_seal(check, &block->seals, i, row.bytes, (size_t)row.info.stored_size, row.where);
        }
    }
}

/* An image after a base is a frame with a checksum, so that another base gives an error. */
static void check_frame(const struct index_check *check, const struct image_row *row)
{
    enum { DESCRIPTOR = 4, HAS_CHECKSUM = 1 << 2 }; /* of a frame: RFC 8878, 3.1.1.1.1 */
    if (row->info.stored_size > DESCRIPTOR && row->bytes && !(row->bytes[DESCRIPTOR] & HAS_CHECKSUM)) {
        problems_add(check->problems, "%s: its zstd frame has a base and no checksum", row->where);
    }
}

/* Readers of older versions can't read a module with images of parts, and do read the others. */
static void check_base(const struct index_check *check, const struct cbn_block *block,
                       const struct image_row *row)
{
    const struct cbn_block *base = NULL; /* a base that is not there is reported as that */
    if (!block->parts && !cbn_archive_block(check->archive, row->info.base_module, &base) && base->parts) {
        problems_add(check->problems,
                     "%s: its base is in module '%s', which has images of parts, unlike its own", row->where,
                     base->module);
    }
}

/* Notes what reader a block and its images need. */
static void check_compression(struct index_check *check, const struct set *set, const struct cbn_block *block,
                              const struct listing_module *module)
{
    bool is_packed = cbn_archive_block_is_packed(check->archive, module->number);
    for (uint32_t i = 0; i < block->images.count; i++) {
        if (cbn_block_row(block, i).encoding == CUBINET_ENCODING_ZSTD_BASE) {
            struct image_row row = read_row(check, block, module, i);
            check_frame(check, &row);
            check_base(check, block, &row);
            is_packed = true;
        }
    }
    if (is_packed) {
        check_since(check, set, "its compression", COMPRESSED_SINCE);
        check->reader = check->reader < COMPRESSED_SINCE ? COMPRESSED_SINCE : check->reader;
    }
}

/* What readers of older versions refuse keeps them from nothing else, unless it is what other blocks are
 * compressed after. */
static void check_first(struct index_check *check, const struct cbn_page *page, uint32_t first)
{
    const struct cbn_block *block;
    if (page->modules.count > 1 && cbn_archive_block_is_packed(check->archive, first + 1) &&
        !cbn_archive_block(check->archive, first, &block) && block->parts) {
        check->reader = PARTS_SINCE;
    }
}

static void check_block(struct index_check *check, const struct listing_module *module)
{
    const struct cbn_block *block;
    if (cbn_archive_block(check->archive, module->number, &block)) {
        problems_add(check->problems, "%s", cubinet_error_message());
        return;
    }
    struct set set = {.bytes = block->bytes, .size = block->size};
    set_where(&set, "the index of module '%.48s'", module->name);
    check_set(check, &set);
    check_image_seals(check, &set, block, module);
    check_rows(block, module, check->archive->format_minor, &check->names_left, check->problems);
    check_compression(check, &set, block, module);
}

/* A page, which the root is if it lists modules, with its modules' blocks. */
static void check_page(struct index_check *check, uint32_t number, const struct set *set,
                       const struct listing *listing)
{
    const struct cbn_page *page;
    if (cbn_archive_page(check->archive, number, &page)) {
        problems_add(check->problems, "%s", cubinet_error_message());
        return;
    }
    bool has_seals = check_seal_count(check, set, &page->seals, page->modules.count);
    for (uint32_t i = 0; i < page->modules.count; i++) {
        const struct listing_module *module = &listing->modules[number * check->archive->page_modules + i];
        const unsigned char *row = cbn_row(&page->modules, i);
        const unsigned char *block =
            check->index + page->place.start + cbn_get32(row + CBN_MODULE_BLOCK_OFFSET);
        struct set stored;
        set_where(&stored, "the index of module '%.48s'", module->name);
        if (has_seals) {
            check_seal(check, &page->seals, i, block, cbn_get32(row + CBN_MODULE_BLOCK_SIZE), stored.where);
        }
        check_block(check, module);
    }
    check_first(check, page, number * check->archive->page_modules);
}

static void check_pages(struct index_check *check, const struct set *root, const struct listing *listing)
{
    const cubinet_archive *archive = check->archive;
    bool has_seals = check_seal_count(check, root, &archive->seals, archive->page_table.count);
    check->reader = check->reader < PAGES_SINCE ? PAGES_SINCE : check->reader;
    for (uint32_t i = 0; i < archive->page_count; i++) {
        const unsigned char *row = cbn_row(&archive->page_table, i);
        struct set set = {.bytes = check->index + cbn_get32(row + CBN_PAGE_OFFSET),
                          .size = cbn_get32(row + CBN_PAGE_BYTES)};
        set_where(&set, "the list of modules from '%.48s' on", cbn_archive_page_name(archive, i));
        check_set(check, &set);
        if (has_seals) {
            check_seal(check, &archive->seals, i, set.bytes, set.size, set.where);
        }
        check_page(check, i, &set, listing);
    }
}

static void check_root(struct index_check *check, const struct listing *listing)
{
    const cubinet_archive *archive = check->archive;
    const struct set root = {"the root", archive->root, archive->root_size, CBN_HEADER_SIZE};
    const char *license;
    check_set(check, &root);
    if (archive->info.stride >= CBN_ARCHIVE_SIZE_WITH_ABI &&
        cbn_get32(archive->info.rows + CBN_ARCHIVE_ABI) != 0) {
        check_since(check, &root, "an ABI tag", ABI_SINCE);
    }
    if (!cubinet_archive_find_property(archive, "license", &license) && spdx_license_check(license)) {
        problems_add(check->problems, "its property 'license': %s", cubinet_error_message());
    }
    if (archive->page_table.count > 0) {
        check_pages(check, &root, listing);
    } else if (archive->module_count > 0) {
        check_page(check, 0, &root, listing);
    } else {
        check_seal_count(check, &root, &archive->seals, 0);
    }
}

/* An archive of a later version may need more than is known here. */
static void check_reader(const struct index_check *check)
{
    unsigned named = cbn_get16(check->archive->root + CBN_HEADER_READER_MINOR);
    bool is_known =
        check->archive->format_major == CBN_FORMAT_MAJOR && check->archive->format_minor <= CBN_FORMAT_MINOR;
    if (named < check->reader || (is_known && named > check->reader)) {
        problems_add(
            check->problems,
            "the header names format 1.%u as the oldest that readers must know; the contents need 1.%u",
            named, check->reader);
    }
}

void check_index(const cubinet_archive *archive, const struct listing *listing, struct problems *problems)
{
    struct index_check check = {.archive = archive, .problems = problems, .names_left = CHECK_NAMES_MOST};
    const unsigned char *bytes;
    if (cbn_archive_refuse(archive, cbn_storage_map(&archive->storage, &bytes))) {
        problems_add(problems, "%s", cubinet_error_message());
        return;
    }
    check.index = bytes + archive->index_start;
    check_root(&check, listing);
    check_reader(&check);
}
