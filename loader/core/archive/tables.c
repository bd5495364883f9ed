/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/archive/tables.h"

#include "loader/core/support/error.h"
#include "loader/core/support/text.h"

#include <string.h>

/* A table's entry in the directory. */
struct entry {
    uint16_t id;
    uint16_t stride;
    uint32_t offset;
    uint32_t count;
    uint64_t end;
};

static struct entry read_entry(const unsigned char *bytes)
{
    struct entry entry = {
        .id = cbn_get16(bytes + CBN_ENTRY_ID),
        .stride = cbn_get16(bytes + CBN_ENTRY_STRIDE),
        .offset = cbn_get32(bytes + CBN_ENTRY_OFFSET),
        .count = cbn_get32(bytes + CBN_ENTRY_COUNT),
    };
    entry.end = entry.offset + (uint64_t)entry.stride * entry.count;
    return entry;
}

static int order(uint16_t id)
{
    return id & ~CBN_TABLE_REQUIRED;
}

static cubinet_status check_place(const struct entry *entry, uint32_t start, uint32_t size)
{
    if (entry->offset < start || entry->end > size) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "table 0x%04x lies outside its set", entry->id);
    }
    if (entry->offset % CBN_TABLE_ALIGNMENT != 0) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "table 0x%04x is not aligned", entry->id);
    }
    return CUBINET_OK;
}

/* Compares with every table before: there are no more than CBN_DIRECTORY_MAX. */
static cubinet_status check_against(const struct entry *entry, const unsigned char *entries, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct entry other = read_entry(entries + i * CBN_DIRECTORY_ENTRY_SIZE);
        if (order(other.id) >= order(entry->id)) {
            return cbn_error(CUBINET_ERROR_DAMAGED, "table 0x%04x is out of order", entry->id);
        }
        if (entry->offset < other.end && other.offset < entry->end) {
            return cbn_error(CUBINET_ERROR_DAMAGED, "tables 0x%04x and 0x%04x overlap", other.id, entry->id);
        }
    }
    return CUBINET_OK;
}

static cubinet_status check_strings(const struct cbn_table *strings)
{
    if (strings->stride != 1 || strings->rows[0] != '\0' || strings->rows[strings->count - 1] != '\0') {
        return cbn_error(CUBINET_ERROR_DAMAGED, "the string table does not start and end with NUL");
    }
    size_t plain = cbn_text_plain(strings->rows, strings->count, CBN_TEXT_NUL | CBN_TEXT_LINE);
    if (plain < strings->count) {
        return cbn_error(CUBINET_ERROR_DAMAGED,
                         "its strings have a control character, or bytes that are not UTF-8: byte 0x%02x at "
                         "offset %zu",
                         strings->rows[plain], plain);
    }
    return CUBINET_OK;
}

static cubinet_status take_table(const unsigned char *set, const struct entry *entry,
                                 const struct cbn_table_kind *kinds, size_t kind_count,
                                 struct cbn_table *tables)
{
    for (size_t i = 0; i < kind_count; i++) {
        if (kinds[i].id != entry->id) {
            continue;
        }
        if (entry->stride < kinds[i].stride) {
            return cbn_error(CUBINET_ERROR_DAMAGED, "table 0x%04x has rows of %u bytes, less than %u",
                             entry->id, entry->stride, kinds[i].stride);
        }
        if (entry->count == 0) {
            return CUBINET_OK;
        }
        tables[i] = (struct cbn_table){set + entry->offset, entry->stride, entry->count};
        return entry->id == CBN_TABLE_STRINGS ? check_strings(&tables[i]) : CUBINET_OK;
    }
    if (entry->id & CBN_TABLE_REQUIRED) {
        return cbn_error(CUBINET_ERROR_NEWER_FORMAT, "it has a required table 0x%04x, which is unknown here",
                         entry->id);
    }
    return CUBINET_OK;
}

cubinet_status cbn_tables_read(const unsigned char *set, uint32_t size, uint32_t directory,
                               const struct cbn_table_kind *kinds, size_t kind_count,
                               struct cbn_table *out_tables)
{
    if (size < directory || size - directory < CBN_DIRECTORY_SIZE) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "it has no room for a table directory");
    }
    uint32_t count = cbn_get16(set + directory);
    const unsigned char *entries = set + directory + CBN_DIRECTORY_SIZE;
    uint32_t room = (size - directory - CBN_DIRECTORY_SIZE) / CBN_DIRECTORY_ENTRY_SIZE;
    if (count > CBN_DIRECTORY_MAX || count > room || cbn_get16(set + directory + 2) != 0) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "its table directory is malformed");
    }
    for (size_t i = 0; i < kind_count; i++) {
        out_tables[i] = (struct cbn_table){0};
    }
    uint32_t start = directory + CBN_DIRECTORY_SIZE + count * CBN_DIRECTORY_ENTRY_SIZE;
    for (uint32_t i = 0; i < count; i++) {
        struct entry entry = read_entry(entries + (size_t)i * CBN_DIRECTORY_ENTRY_SIZE);
        cubinet_status status = check_place(&entry, start, size);
        if (!status) {
            status = check_against(&entry, entries, i);
        }
        if (!status) {
            status = take_table(set, &entry, kinds, kind_count, out_tables);
        }
        if (status) {
            return status;
        }
    }
    return CUBINET_OK;
}

const char *cbn_take_string(const struct cbn_table *strings, uint32_t offset, uint64_t *io_room)
{
    const char *string = cbn_string(strings, offset);
    bool is_inside = string && (*string & 0xc0) == 0x80;
    size_t size = string ? strlen(string) + 1 : 0;
    if (is_inside || size > *io_room) {
        return NULL;
    }
    *io_room -= size;
    return string;
}

const char *cbn_take_name(const struct cbn_table *strings, uint32_t offset, uint64_t *io_room)
{
    uint64_t before = *io_room;
    const char *name = cbn_take_string(strings, offset, io_room);
    return name && !memchr(name, '\n', before - *io_room) ? name : NULL;
}

const char *cbn_take_module_name(const struct cbn_table *strings, uint32_t offset, uint64_t *io_room)
{
    uint64_t before = *io_room;
    const char *name = cbn_take_name(strings, offset, io_room);
    return before - *io_room <= CBN_MODULE_NAME_MAX + 1 ? name : NULL;
}

bool cbn_find_string(const struct cbn_table *table, const struct cbn_table *strings, uint32_t field,
                     const char *wanted, uint32_t *out_row)
{
    uint32_t low = 0;
    uint32_t high = table->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(wanted, cbn_string_at(strings, cbn_row(table, middle) + field));
        if (order == 0) {
            *out_row = middle;
            return true;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return false;
}

const unsigned char *cbn_find_row(const struct cbn_table *table, size_t column, uint32_t wanted)
{
    uint32_t low = 0;
    uint32_t high = table->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const unsigned char *row = cbn_row(table, middle);
        uint32_t there = cbn_get32(row + column);
        if (there == wanted) {
            return row;
        }
        if (wanted < there) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}
