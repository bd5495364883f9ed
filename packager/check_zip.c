/* SPDX-License-Identifier: Apache-2.0 */
#include "check_zip.h"

#include "cbn_archive.h"
#include "entry_name.h"
#include "error.h"
#include "format.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>

enum { READ_BLOCK = 65536 };

/* An entry as the index has it. */
struct expected {
    char *name;
    uint64_t offset;
    uint64_t size;
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

static int compare_offsets(const void *a, const void *b)
{
    const struct expected *left = a;
    const struct expected *right = b;
    return (left->offset > right->offset) - (left->offset < right->offset);
}

static cubinet_status expect_image(const cubinet_archive *archive, const struct catalog_module *module,
                                   uint32_t image, struct expectations *expectations)
{
    const cubinet_image_info *info = &module->images[image];
    struct expected expected = {.offset = info->offset, .size = info->stored_size};
    cubinet_status status = entry_name(module->name, info->target, info->encoding, &expected.name);
    if (status) {
        return status;
    }
    /* Bytes that fail their digest have been reported as that. */
    const void *bytes;
    if (cbn_archive_image_bytes(archive, module->number, image, &bytes) == CUBINET_OK) {
        expected.bytes = bytes;
    }
    expectations->entries[expectations->count++] = expected;
    return CUBINET_OK;
}

static cubinet_status expect_all(const cubinet_archive *archive, const struct catalog *catalog,
                                 struct expectations *expectations)
{
    size_t count = 1;
    for (uint32_t i = 0; i < catalog->module_count; i++) {
        count += catalog->modules[i].image_count;
    }
    expectations->entries = calloc(count, sizeof(*expectations->entries));
    char *name = strdup(CBN_INDEX_ENTRY);
    if (!expectations->entries || !name) {
        free(name);
        return cbn_error_memory();
    }
    expectations->entries[expectations->count++] =
        (struct expected){.name = name, .size = catalog->archive.index_size};
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; status == CUBINET_OK && i < catalog->module_count; i++) {
        const struct catalog_module *module = &catalog->modules[i];
        for (uint32_t j = 0; status == CUBINET_OK && j < module->image_count; j++) {
            status = expect_image(archive, module, j, expectations);
        }
    }
    qsort(expectations->entries, expectations->count, sizeof(*expectations->entries), compare_offsets);
    return status;
}

/* Compares an entry's bytes; reading them has libarchive check their CRC too. */
static void check_data(struct archive *zip, const struct expected *expected, struct problems *problems)
{
    const void *block;
    size_t size;
    la_int64_t offset;
    bool same = true;
    int result;
    while ((result = archive_read_data_block(zip, &block, &size, &offset)) == ARCHIVE_OK) {
        uint64_t start = (uint64_t)offset;
        if (start > expected->size || size > expected->size - start) {
            same = false;
        } else if (size > 0 && expected->bytes && memcmp(expected->bytes + start, block, size) != 0) {
            same = false;
        }
    }
    if (result != ARCHIVE_EOF) {
        problems_add(problems, "zip entry '%s': %s", expected->name, archive_error_string(zip));
    } else if (!same) {
        problems_add(problems, "zip entry '%s': its bytes are not those that the index means",
                     expected->name);
    }
}

static void check_entry(struct archive *zip, struct archive_entry *entry, const struct expected *expected,
                        struct problems *problems)
{
    if (!archive_entry_size_is_set(entry) || (uint64_t)archive_entry_size(entry) != expected->size) {
        problems_add(problems, "zip entry '%s' has %lld bytes, by the index it has %llu", expected->name,
                     (long long)archive_entry_size(entry), (unsigned long long)expected->size);
    }
    /* The format's name ends with the entry's method. */
    const char *format = archive_format_name(zip);
    if (!format || !strstr(format, "(uncompressed)")) {
        problems_add(problems, "zip entry '%s' is not stored as it is, but as %s", expected->name,
                     format ? format : "something unknown");
    }
    check_data(zip, expected, problems);
}

static void check_entries(struct archive *zip, const struct expectations *expectations,
                          struct problems *problems)
{
    size_t count = 0;
    struct archive_entry *entry;
    int result;
    while ((result = archive_read_next_header(zip, &entry)) == ARCHIVE_OK) {
        const char *name = archive_entry_pathname(entry);
        if (count == expectations->count) {
            problems_add(problems, "zip entry '%s' is not in the index", name);
            return;
        }
        const struct expected *expected = &expectations->entries[count++];
        if (!name || strcmp(name, expected->name) != 0) {
            problems_add(problems, "zip entry '%s' lies where the index has '%s'", name ? name : "",
                         expected->name);
            return; /* all that follow would differ too */
        }
        check_entry(zip, entry, expected, problems);
    }
    if (result != ARCHIVE_EOF) {
        problems_add(problems, "the zip directory can't be read: %s", archive_error_string(zip));
    } else if (count < expectations->count) {
        problems_add(problems, "the zip directory lacks '%s'", expectations->entries[count].name);
    }
}

static cubinet_status read_zip(const char *path, const struct expectations *expectations,
                               struct problems *problems)
{
    struct archive *zip = archive_read_new();
    if (!zip) {
        return cbn_error_memory();
    }
    archive_read_support_format_zip_seekable(zip);
    if (archive_read_open_filename(zip, path, READ_BLOCK) == ARCHIVE_OK) {
        check_entries(zip, expectations, problems);
    } else {
        problems_add(problems, "it is no zip file: %s", archive_error_string(zip));
    }
    archive_read_free(zip);
    return CUBINET_OK;
}

cubinet_status check_zip(const char *path, const cubinet_archive *archive, const struct catalog *catalog,
                         struct problems *problems)
{
    struct expectations expectations = {0};
    cubinet_status status = expect_all(archive, catalog, &expectations);
    if (status == CUBINET_OK) {
        status = read_zip(path, &expectations, problems);
    }
    expectations_free(&expectations);
    return status;
}
