/* SPDX-License-Identifier: Apache-2.0 */
#include "check_index.h"

#include "cbn_archive.h"
#include "check_rows.h"
#include "opened.h"
#include "signing_key.h"
#include "spdx_license.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The minor version since which there is something. */
enum { COMPRESSED_SINCE = 2, BASES_SINCE = 2, ABI_SINCE = 2, PAGES_SINCE = 3 };

static const struct {
    uint16_t table;
    unsigned since;
} tables_since[] = {
    {CBN_TABLE_SEALS, 2},       {CBN_TABLE_SIGNATURES, 2}, {CBN_TABLE_PROPERTIES, 2},
    {CBN_TABLE_PAGES, 3},       {CBN_TABLE_PIECES, 1},     {CBN_TABLE_SYMBOLS, 1},
    {CBN_TABLE_IMAGE_SEALS, 2}, {CBN_TABLE_ORIGINS, 2},    {CBN_TABLE_SOURCES, 2},
};

struct index_check {
    const cubinet_archive *archive;
    struct problems *problems;
    unsigned reader; /* minor of the oldest reader for what has been seen */
};

/* A root, page or block. */
struct set {
    const char *what; /* for messages, with a name where there are several */
    const char *name;
    const unsigned char *bytes;
    uint32_t size;
    uint32_t directory;
};

static void check_since(const struct index_check *check, unsigned since, const char *what, const char *name)
{
    if (check->archive->format_major == 1 && check->archive->format_minor < since) {
        problems_add(check->problems, "%s%s has something of format 1.%u, and the archive says 1.%u", what,
                     name, since, check->archive->format_minor);
    }
}

static void check_tables_since(const struct index_check *check, const struct set *set, uint16_t table)
{
    for (size_t i = 0; i < sizeof(tables_since) / sizeof(tables_since[0]); i++) {
        if (tables_since[i].table == table) {
            check_since(check, tables_since[i].since, set->what, set->name);
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
        check_tables_since(check, set, cbn_get16(entry + CBN_ENTRY_ID));
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

/* A set that the reader has taken: each table follows the one before, with nothing but padding between. */
static void check_set(const struct index_check *check, const struct set *set)
{
    struct extent extents[CBN_DIRECTORY_MAX];
    size_t count = list_tables(check, set, extents);
    uint64_t end = set->directory + CBN_DIRECTORY_SIZE +
                   (uint64_t)cbn_get16(set->bytes + set->directory) * CBN_DIRECTORY_ENTRY_SIZE;
    for (size_t i = 0; i < count; i++) {
        if (extents[i].start != cbn_align(end) || !are_zero(set->bytes, end, extents[i].start)) {
            problems_add(check->problems, "%s%s: there are bytes between its tables, from %llu to %llu",
                         set->what, set->name, (unsigned long long)end, (unsigned long long)extents[i].start);
        }
        end = extents[i].end;
    }
    if (end != set->size) {
        problems_add(check->problems, "%s%s: there are %llu bytes behind its last table", set->what,
                     set->name, (unsigned long long)(set->size - end));
    }
}

static bool is_signed(const struct index_check *check)
{
    return check->archive->signatures.count > 0;
}

/* Whether a set has as many seals as it lists parts, if the archive is signed, and none if it is not. */
static bool check_seal_count(const struct index_check *check, const struct set *set,
                             const struct cbn_table *seals, uint32_t parts)
{
    uint32_t wanted = is_signed(check) ? parts : 0;
    if (seals->count == wanted) {
        return is_signed(check);
    }
    problems_add(check->problems, "%s%s: %u seals, and in %s archive there would be %u", set->what, set->name,
                 seals->count, is_signed(check) ? "a signed" : "an unsigned", wanted);
    return false;
}

static void check_seal(const struct index_check *check, const struct cbn_table *seals, uint32_t row,
                       const void *bytes, size_t size, const char *what, const char *name)
{
    unsigned char seal[CBN_SEAL_SIZE];
    signing_seal(bytes, size, seal);
    if (memcmp(cbn_row(seals, row), seal, sizeof(seal)) != 0) {
        problems_add(check->problems, "%s%s does not have the seal that is signed", what, name);
    }
}

static void check_image_seals(const struct index_check *check, const struct set *set,
                              const struct cbn_block *block, const struct listing_module *module)
{
    if (!check_seal_count(check, set, &block->seals, block->images.count)) {
        return;
    }
    for (uint32_t i = 0; i < block->images.count; i++) {
        const void *bytes;
        char target[CUBINET_TARGET_NAME_SIZE];
        char what[64 + CUBINET_TARGET_NAME_SIZE];
        snprintf(what, sizeof(what), "%s of module ", cubinet_target_name(module->images[i].target, target));
        /* An image that can't be read is reported as that. */
        if (cbn_archive_image_bytes(check->archive, module->number, i, &bytes) == CUBINET_OK) {
            check_seal(check, &block->seals, i, bytes, (size_t)module->images[i].stored_size, what,
                       module->name);
        }
    }
}

static void check_block(struct index_check *check, const struct listing_module *module)
{
    const struct cbn_block *block;
    if (cbn_archive_block(check->archive, module->number, &block)) {
        problems_add(check->problems, "%s", cubinet_error_message());
        return;
    }
    const struct set set = {"the index of module ", module->name, block->bytes, block->size, 0};
    check_set(check, &set);
    check_image_seals(check, &set, block, module);
    check_rows(block, module, check->archive->format_minor, check->problems);
    bool is_packed = cbn_archive_block_is_packed(check->archive, module->number);
    for (uint32_t i = 0; i < module->image_count; i++) {
        is_packed = is_packed || module->images[i].encoding == CUBINET_ENCODING_ZSTD_BASE;
    }
    if (is_packed) {
        check_since(check, COMPRESSED_SINCE, set.what, set.name);
        check->reader = check->reader < COMPRESSED_SINCE ? COMPRESSED_SINCE : check->reader;
    }
}

/* A page with its modules' blocks; `bytes`: of the whole archive. */
static void check_page(struct index_check *check, uint32_t number, const struct set *set,
                       const struct listing *listing, const unsigned char *bytes)
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
        const unsigned char *block = bytes + check->archive->index_start + page->place.start +
                                     cbn_get32(row + CBN_MODULE_BLOCK_OFFSET);
        if (has_seals) {
            check_seal(check, &page->seals, i, block, cbn_get32(row + CBN_MODULE_BLOCK_SIZE),
                       "the index of module ", module->name);
        }
        check_block(check, module);
    }
}

static void check_pages(struct index_check *check, const struct set *root, const struct listing *listing,
                        const unsigned char *bytes)
{
    const cubinet_archive *archive = check->archive;
    bool has_seals = check_seal_count(check, root, &archive->seals, archive->page_table.count);
    check->reader = PAGES_SINCE;
    for (uint32_t i = 0; i < archive->page_count; i++) {
        const unsigned char *row = cbn_row(&archive->page_table, i);
        const struct set set = {"the list of modules from ", cbn_archive_page_name(archive, i),
                                bytes + archive->index_start + cbn_get32(row + CBN_PAGE_OFFSET),
                                cbn_get32(row + CBN_PAGE_BYTES), 0};
        check_set(check, &set);
        if (has_seals) {
            check_seal(check, &archive->seals, i, set.bytes, set.size, set.what, set.name);
        }
        check_page(check, i, &set, listing, bytes);
    }
}

static void check_root(struct index_check *check, const struct listing *listing, const unsigned char *bytes)
{
    const cubinet_archive *archive = check->archive;
    const struct set root = {"the root", "", archive->root, archive->root_size, CBN_HEADER_SIZE};
    const char *license;
    check_set(check, &root);
    if (archive->info.stride >= CBN_ARCHIVE_SIZE_WITH_ABI &&
        cbn_get32(archive->info.rows + CBN_ARCHIVE_ABI) != 0) {
        check_since(check, ABI_SINCE, root.what, root.name);
    }
    if (cubinet_archive_find_property(archive, "license", &license) == CUBINET_OK &&
        spdx_license_check(license)) {
        problems_add(check->problems, "its property 'license': %s", cubinet_error_message());
    }
    if (archive->page_table.count > 0) {
        check_pages(check, &root, listing, bytes);
    } else if (archive->module_count > 0) {
        check_page(check, 0, &root, listing, bytes);
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
            "the header says that readers of format 1.%u can read the archive; by what is in it, it is "
            "those of 1.%u",
            named, check->reader);
    }
}

void check_index(const cubinet_archive *archive, const struct listing *listing, struct problems *problems)
{
    struct index_check check = {.archive = archive, .problems = problems};
    const unsigned char *bytes;
    if (cbn_archive_refuse(archive, cbn_storage_map(&archive->storage, &bytes))) {
        problems_add(problems, "%s", cubinet_error_message());
        return;
    }
    check_root(&check, listing, bytes);
    check_reader(&check);
}
