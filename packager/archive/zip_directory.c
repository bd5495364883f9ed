/* SPDX-License-Identifier: Apache-2.0 */
/* Names and numbers are those of PKWARE's APPNOTE.TXT. */
#include "archive/zip_directory.h"

#include "loader/core/archive/format.h"
#include "loader/core/support/error.h"

#include <string.h>

enum {
    END_SIGNATURE = 0x06054b50,
    END_SIZE = 22,
    END_ENTRIES = 10,
    END_DIRECTORY_SIZE = 12,
    END_DIRECTORY = 16,
    MAX_COMMENT = 0xffff,

    LOCATOR_SIGNATURE = 0x07064b50,
    LOCATOR_SIZE = 20,
    LOCATOR_END = 8,

    END64_SIGNATURE = 0x06064b50,
    END64_SIZE = 56,
    END64_ENTRIES = 32,
    END64_DIRECTORY_SIZE = 40,
    END64_DIRECTORY = 48,

    ENTRY_SIGNATURE = 0x02014b50,
    ENTRY_SIZE = 46,
    ENTRY_FLAGS = 8,
    ENTRY_METHOD = 10,
    ENTRY_TIME = 12,
    ENTRY_STORED_SIZE = 20,
    ENTRY_RAW_SIZE = 24,
    ENTRY_NAME_SIZE = 28,
    ENTRY_EXTRA_SIZE = 30,
    ENTRY_COMMENT_SIZE = 32,
    ENTRY_LOCAL = 42,

    LOCAL_SIGNATURE = 0x04034b50,
    LOCAL_SIZE = 30,
    LOCAL_FLAGS = 6,
    REPEATED_SIZE = 22, /* from the flags to the name's size */

    EXTRA_HEAD = 4,
    EXTRA_ZIP64 = 1,
};

static const uint32_t in_zip64 = 0xffffffff; /* a 32-bit field whose value is in the zip64 extra field */

static bool fits(const struct zip_directory *directory, uint64_t offset, uint64_t size)
{
    return offset <= directory->file_size && size <= directory->file_size - offset;
}

static bool is_at(const struct zip_directory *directory, uint64_t offset, uint64_t size, uint32_t signature)
{
    return fits(directory, offset, size) && cbn_get32(directory->file + offset) == signature;
}

/* The end record, which only a comment may follow. */
static bool find_end(const struct zip_directory *directory, uint64_t *out_offset)
{
    for (uint64_t comment = 0; comment <= MAX_COMMENT && END_SIZE + comment <= directory->file_size;
         comment++) {
        uint64_t offset = directory->file_size - END_SIZE - comment;
        if (is_at(directory, offset, END_SIZE, END_SIGNATURE)) {
            *out_offset = offset;
            return true;
        }
    }
    return false;
}

static void read_end(struct zip_directory *directory, uint64_t end)
{
    const unsigned char *record = directory->file + end;
    directory->left = cbn_get16(record + END_ENTRIES);
    directory->next = cbn_get32(record + END_DIRECTORY);
    directory->end = directory->next + cbn_get32(record + END_DIRECTORY_SIZE);
}

/* Archives that need it have a second end record, with 64-bit numbers, and before the first what finds it. */
static void read_end64(struct zip_directory *directory, uint64_t end)
{
    directory->end_records = end;
    if (end < LOCATOR_SIZE || !is_at(directory, end - LOCATOR_SIZE, LOCATOR_SIZE, LOCATOR_SIGNATURE)) {
        return;
    }
    uint64_t end64 = cbn_get64(directory->file + end - LOCATOR_SIZE + LOCATOR_END);
    if (!is_at(directory, end64, END64_SIZE, END64_SIGNATURE)) {
        return;
    }
    const unsigned char *record = directory->file + end64;
    directory->left = cbn_get64(record + END64_ENTRIES);
    directory->next = cbn_get64(record + END64_DIRECTORY);
    directory->end = directory->next + cbn_get64(record + END64_DIRECTORY_SIZE);
    directory->end_records = end64;
    directory->has_tail = end - END64_SIZE - LOCATOR_SIZE != end64;
}

cubinet_status zip_directory_open(const void *file, size_t size, struct zip_directory *out_directory)
{
    struct zip_directory directory = {.file = file, .file_size = size};
    uint64_t end;
    if (!find_end(&directory, &end)) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "the zip directory has no end record");
    }
    read_end(&directory, end);
    read_end64(&directory, end);
    if (directory.end < directory.next || directory.end > end) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "the zip directory does not lie before its end record");
    }
    directory.has_tail = directory.has_tail || size - end != END_SIZE;
    *out_directory = directory;
    return CUBINET_OK;
}

/* Takes the next 64-bit value of a zip64 extra field, if the field proper refers to it. */
static bool take64(const unsigned char **field, size_t *left, uint64_t *value)
{
    if (*value != in_zip64) {
        return true;
    }
    if (*left < sizeof(uint64_t)) {
        return false;
    }
    *value = cbn_get64(*field);
    *field += sizeof(uint64_t);
    *left -= sizeof(uint64_t);
    return true;
}

/* Puts the 64-bit values in place of the 32-bit ones that say that they are there. */
static bool apply_zip64(const unsigned char *extra, size_t size, struct zip_entry *entry, uint64_t *local)
{
    while (size >= EXTRA_HEAD) {
        unsigned id = cbn_get16(extra);
        size_t field_size = cbn_get16(extra + 2);
        const unsigned char *field = extra + EXTRA_HEAD;
        if (field_size > size - EXTRA_HEAD) {
            return false;
        }
        if (id == EXTRA_ZIP64) {
            return take64(&field, &field_size, &entry->size) &&
                   take64(&field, &field_size, &entry->stored_size) && take64(&field, &field_size, local);
        }
        extra += EXTRA_HEAD + field_size;
        size -= EXTRA_HEAD + field_size;
    }
    return entry->size != in_zip64 && entry->stored_size != in_zip64 && *local != in_zip64;
}

/* Where an entry's bytes are is known only from the lengths in the header before them. */
static bool find_data(const struct zip_directory *directory, uint64_t local, uint64_t *out_data)
{
    if (!is_at(directory, local, LOCAL_SIZE, LOCAL_SIGNATURE)) {
        return false;
    }
    const unsigned char *header = directory->file + local;
    *out_data =
        local + LOCAL_SIZE + cbn_get16(header + CBN_ZIP_NAME_SIZE) + cbn_get16(header + CBN_ZIP_EXTRA_SIZE);
    return true;
}

/* Whether extra fields are zip64's alone. */
static bool is_zip64(const unsigned char *extra, size_t size)
{
    return size == 0 || (size >= EXTRA_HEAD && cbn_get16(extra) == EXTRA_ZIP64 &&
                         cbn_get16(extra + 2) == size - EXTRA_HEAD);
}

/* Compares an entry's row with the header before its bytes. */
static void compare_header(const struct zip_directory *directory, const unsigned char *record,
                           struct zip_entry *entry)
{
    const unsigned char *header = directory->file + entry->local;
    const unsigned char *name = header + LOCAL_SIZE;
    size_t extra_size = cbn_get16(record + ENTRY_EXTRA_SIZE);
    entry->time = cbn_get32(record + ENTRY_TIME);
    entry->is_repeated = memcmp(header + LOCAL_FLAGS, record + ENTRY_FLAGS, REPEATED_SIZE) == 0 &&
                         memcmp(name, entry->name, entry->name_size) == 0;
    entry->has_more =
        !is_zip64(record + ENTRY_SIZE + entry->name_size, extra_size) ||
        !is_zip64(name + cbn_get16(header + CBN_ZIP_NAME_SIZE), cbn_get16(header + CBN_ZIP_EXTRA_SIZE)) ||
        cbn_get16(record + ENTRY_COMMENT_SIZE) > 0;
}

cubinet_status zip_directory_next(struct zip_directory *directory, struct zip_entry *out_entry)
{
    const unsigned char *record = directory->file + directory->next;
    if (directory->end - directory->next < ENTRY_SIZE || cbn_get32(record) != ENTRY_SIGNATURE) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "the zip directory ends before its last entry");
    }
    size_t name_size = cbn_get16(record + ENTRY_NAME_SIZE);
    size_t extra_size = cbn_get16(record + ENTRY_EXTRA_SIZE);
    size_t size = ENTRY_SIZE + name_size + extra_size + cbn_get16(record + ENTRY_COMMENT_SIZE);
    if (directory->end - directory->next < size) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "an entry of the zip directory goes beyond its end");
    }
    struct zip_entry entry = {
        .name = (const char *)record + ENTRY_SIZE,
        .name_size = name_size,
        .method = cbn_get16(record + ENTRY_METHOD),
        .stored_size = cbn_get32(record + ENTRY_STORED_SIZE),
        .size = cbn_get32(record + ENTRY_RAW_SIZE),
    };
    entry.local = cbn_get32(record + ENTRY_LOCAL);
    if (!apply_zip64(record + ENTRY_SIZE + name_size, extra_size, &entry, &entry.local) ||
        !find_data(directory, entry.local, &entry.data) || !fits(directory, entry.data, entry.stored_size)) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "zip entry '%.*s' does not lie in the file", (int)name_size,
                         entry.name);
    }
    compare_header(directory, record, &entry);
    directory->next += size;
    directory->left--;
    *out_entry = entry;
    return CUBINET_OK;
}
