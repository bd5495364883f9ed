/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/check_zip.h"

#include "archive/check_layout.h"
#include "archive/entry_name.h"
#include "archive/libarchive.h"
#include "archive/zip_directory.h"
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/format.h"
#include "loader/core/archive/opened.h"
#include "loader/core/support/error.h"
#include "process/trace.h"

#include <stdlib.h>
#include <string.h>

/* Format 1.1 and before had extra fields and data descriptors. */
enum { STORED = 0, LEAN_SINCE = 2 };

/* An entry as the index has it. */
struct expected {
    char *name;
    uint64_t offset;
    uint64_t size;
    size_t number;              /* in the order of modules and images */
    bool is_shared;             /* with other images of its module */
    const unsigned char *bytes; /* NULL: not to be compared */
};

struct expectations {
    struct expected *entries; /* as they lie in the file */
    size_t count;
};

static void expectations_free(struct expectations *expectations)
{
    for (size_t i = 0; i < expectations->count; i++) {
        free(expectations->entries[i].name);
    }
    free(expectations->entries);
}

/* In the order of the file; of images that share their bytes the one that the entry is named after first. */
static int compare_places(const void *a, const void *b)
{
    const struct expected *left = a;
    const struct expected *right = b;
    if (left->offset != right->offset) {
        return left->offset < right->offset ? -1 : 1;
    }
    return (left->number > right->number) - (left->number < right->number);
}

/* Whether `next` is more of the entry that ends with `last`. */
static bool continues(const struct expected *last, const struct expected *next)
{
    return last->is_shared && next->is_shared && last->offset + last->size == next->offset &&
           strcmp(last->name, next->name) == 0;
}

/* Equal images are stored once, and images that share an entry are one expectation. */
static void join_entries(struct expectations *expectations)
{
    size_t kept = 0;
    uint64_t last_offset = 0; /* of an image */
    for (size_t i = 0; i < expectations->count; i++) {
        struct expected *entry = &expectations->entries[i];
        struct expected *last = kept > 0 ? &expectations->entries[kept - 1] : NULL;
        bool is_stored_before = last && last_offset == entry->offset;
        last_offset = entry->offset;
        if (is_stored_before) {
            free(entry->name);
        } else if (last && continues(last, entry)) {
            last->size += entry->size;
            last->bytes = entry->bytes ? last->bytes : NULL;
            free(entry->name);
        } else {
            expectations->entries[kept++] = *entry;
        }
    }
    expectations->count = kept;
}

/* Whether a module's compressed images share an entry: they do where its part of the index is compressed. */
static bool shares_entry(const cubinet_archive *archive, const struct listing_module *module,
                         const cubinet_part_info *part)
{
    return part->encoding != CUBINET_ENCODING_RAW && cbn_archive_block_is_packed(archive, module->number);
}

static cubinet_status expect_part(const cubinet_archive *archive, const struct listing_module *module,
                                  uint32_t image, uint32_t part, struct expectations *expectations)
{
    cubinet_part_info info = {.size = sizeof(info)};
    cubinet_status status = cubinet_archive_get_part(archive, module->number, image, part, &info);
    if (status) {
        return status;
    }
    const struct entry_part place = {part, module->images[image].part_count};
    struct expected expected = {.offset = info.offset,
                                .size = info.stored_size,
                                .number = expectations->count,
                                .is_shared = shares_entry(archive, module, &info)};
    status = expected.is_shared ? entry_name_packed(module->name, &expected.name)
                                : entry_name(module->name, module->images[image].target, place, info.encoding,
                                             &expected.name);
    if (status) {
        return status;
    }
    /* Bytes that fail their digest have been reported as that. */
    const void *bytes;
    if (!cbn_archive_part_bytes(archive, module->number, image, part, &bytes)) {
        expected.bytes = bytes;
    }
    expectations->entries[expectations->count++] = expected;
    return CUBINET_OK;
}

static cubinet_status expect_module(const cubinet_archive *archive, const struct listing_module *module,
                                    struct expectations *expectations)
{
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < module->image_count; i++) {
        for (uint32_t j = 0; !status && j < module->images[i].part_count; j++) {
            status = expect_part(archive, module, i, j, expectations);
        }
    }
    return status;
}

/* bytes: all of the archive */
static cubinet_status expect_all(const cubinet_archive *archive, const unsigned char *bytes,
                                 const struct listing *listing, struct expectations *expectations)
{
    size_t count = 1;
    for (uint32_t i = 0; i < listing->module_count; i++) {
        count += listing_part_count(&listing->modules[i]);
    }
    expectations->entries = calloc(count, sizeof(*expectations->entries));
    char *name = strdup(CBN_INDEX_ENTRY);
    if (!expectations->entries || !name) {
        free(name);
        return cbn_error_memory();
    }
    expectations->entries[expectations->count++] = (struct expected){.name = name,
                                                                     .offset = archive->index_start,
                                                                     .size = listing->archive.index_size,
                                                                     .bytes = bytes + archive->index_start};
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < listing->module_count; i++) {
        status = expect_module(archive, &listing->modules[i], expectations);
    }
    qsort(expectations->entries, expectations->count, sizeof(*expectations->entries), compare_places);
    join_entries(expectations);
    return status;
}

static void check_directory_entry(const struct zip_entry *entry, const struct expected *expected,
                                  struct problems *problems)
{
    if (entry->method != STORED) {
        problems_add(problems, "zip entry '%s' is not stored unchanged, but compressed (method %u)",
                     expected->name, entry->method);
    }
    if (entry->size != expected->size || entry->stored_size != expected->size) {
        problems_add(problems, "zip entry '%s' has %llu bytes, by the index it has %llu", expected->name,
                     (unsigned long long)entry->size, (unsigned long long)expected->size);
    }
    if (entry->data != expected->offset) {
        problems_add(problems, "zip entry '%s' lies at %llu, by the index at %llu", expected->name,
                     (unsigned long long)entry->data, (unsigned long long)expected->offset);
    }
}

/* An entry's name, which both readers look at. Returns what is expected in its place, or NULL after a problem
 * that every further entry would have too. */
static const struct expected *match_name(const struct expectations *expectations, size_t place,
                                         const char *name, size_t name_size, struct problems *problems)
{
    if (place == expectations->count) {
        problems_add(problems, "zip entry '%.*s' is not in the index", (int)name_size, name);
        return NULL;
    }
    const struct expected *expected = &expectations->entries[place];
    if (strlen(expected->name) != name_size || memcmp(expected->name, name, name_size) != 0) {
        problems_add(problems, "zip entry '%.*s' stands where the index has '%s'", (int)name_size, name,
                     expected->name);
        return NULL;
    }
    return expected;
}

static void check_count(const struct expectations *expectations, size_t count, struct problems *problems)
{
    if (count < expectations->count) {
        problems_add(problems, "the zip file lacks '%s'", expectations->entries[count].name);
    }
}

static void check_directory(const unsigned char *bytes, size_t size, const struct expectations *expectations,
                            struct problems *problems)
{
    struct zip_directory directory;
    if (zip_directory_open(bytes, size, &directory)) {
        problems_add(problems, "%s", cubinet_error_message());
        return;
    }
    size_t count = 0;
    while (directory.left > 0) {
        struct zip_entry entry;
        if (zip_directory_next(&directory, &entry)) {
            problems_add(problems, "%s", cubinet_error_message());
            return;
        }
        const struct expected *expected =
            match_name(expectations, count, entry.name, entry.name_size, problems);
        if (!expected) {
            return;
        }
        check_directory_entry(&entry, expected, problems);
        count++;
    }
    check_count(expectations, count, problems);
}

/* An archive as libarchive reads it. */
struct zip_reader {
    const struct libarchive_table *libarchive;
    struct archive *zip;
};

static const char *reason(const struct zip_reader *reader)
{
    return reader->libarchive->archive_error_string(reader->zip);
}

/* Compares an entry's bytes; reading them has libarchive check their CRC too. */
static void check_data(const struct zip_reader *reader, const struct expected *expected,
                       struct problems *problems)
{
    const void *block;
    size_t size;
    int64_t offset;
    bool same = true;
    int result;
    while ((result = reader->libarchive->archive_read_data_block(reader->zip, &block, &size, &offset)) ==
           LIBARCHIVE_OK) {
        uint64_t start = (uint64_t)offset;
        if (start > expected->size || size > expected->size - start) {
            same = false;
        } else if (size > 0 && expected->bytes && memcmp(expected->bytes + start, block, size) != 0) {
            same = false;
        }
    }
    if (result != LIBARCHIVE_EOF) {
        problems_add(problems, "zip entry '%s': %s", expected->name, reason(reader));
    } else if (!same) {
        problems_add(problems, "zip entry '%s': its bytes are not those that the index means",
                     expected->name);
    }
}

static void check_entries(const struct zip_reader *reader, const struct expectations *expectations,
                          struct problems *problems)
{
    size_t count = 0;
    struct archive_entry *entry;
    int result;
    while ((result = reader->libarchive->archive_read_next_header(reader->zip, &entry)) == LIBARCHIVE_OK) {
        const char *name = reader->libarchive->archive_entry_pathname(entry);
        name = name ? name : "";
        const struct expected *expected = match_name(expectations, count, name, strlen(name), problems);
        if (!expected) {
            return;
        }
        check_data(reader, expected, problems);
        count++;
    }
    if (result != LIBARCHIVE_EOF) {
        problems_add(problems, "the zip file can't be read: %s", reason(reader));
    } else {
        check_count(expectations, count, problems);
    }
}

/* Of a program that is what is inside, and not the program. */
static cubinet_status read_with(const struct libarchive_table *libarchive, const unsigned char *bytes,
                                size_t size, const struct expectations *expectations,
                                struct problems *problems)
{
    const struct zip_reader reader = {libarchive, libarchive->archive_read_new()};
    if (!reader.zip) {
        return cbn_error_memory();
    }
    libarchive->archive_read_support_format_zip_seekable(reader.zip);
    if (libarchive->archive_read_open_memory(reader.zip, bytes, size) == LIBARCHIVE_OK) {
        check_entries(&reader, expectations, problems);
    } else {
        problems_add(problems, "the zip file can't be read: %s", reason(&reader));
    }
    libarchive->archive_read_free(reader.zip);
    return CUBINET_OK;
}

static cubinet_status read_zip(const unsigned char *bytes, size_t size,
                               const struct expectations *expectations, struct problems *problems)
{
    struct libarchive libarchive;
    cubinet_status status = libarchive_open(&libarchive);
    if (!status) {
        trace_begin("read as zip", NULL);
        status = read_with(&libarchive.table, bytes, size, expectations, problems);
        trace_end();
        libarchive_close(&libarchive);
    }
    return status;
}

cubinet_status check_zip(const cubinet_archive *archive, const struct listing *listing,
                         struct problems *problems)
{
    struct expectations expectations = {0};
    const unsigned char *bytes = NULL;
    cubinet_status status = cbn_archive_refuse(archive, cbn_storage_map(&archive->storage, &bytes));
    if (!status) {
        status = expect_all(archive, bytes, listing, &expectations);
    }
    if (!status) {
        check_filing(archive, listing, problems);
    }
    size_t before = problems->count;
    if (!status) {
        check_directory(bytes, archive->storage.size, &expectations, problems);
    }
    /* What is wrong with the directory would be said a second time. */
    if (!status && problems->count == before) {
        if (archive->format_minor >= LEAN_SINCE) {
            check_zip_records(bytes, archive->storage.size, problems);
        }
        status = read_zip(bytes, archive->storage.size, &expectations, problems);
    }
    expectations_free(&expectations);
    return status;
}
