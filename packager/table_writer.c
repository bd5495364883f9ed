/* SPDX-License-Identifier: Apache-2.0 */
#include "table_writer.h"

#include "format.h"

#include <string.h>

struct buffer *table_set_add(struct table_set *set, uint16_t id, uint16_t stride)
{
    struct table *table = &set->tables[set->count++];
    *table = (struct table){.id = id, .stride = stride};
    return &table->rows;
}

struct buffer *table_set_add_strings(struct table_set *set)
{
    struct buffer *strings = table_set_add(set, CBN_TABLE_STRINGS, 1);
    buffer_append(strings, "", 1); /* offset 0 is the empty string */
    return strings;
}

uint32_t table_string(struct buffer *strings, const char *text)
{
    if (!text || !*text) {
        return 0;
    }
    uint32_t offset = (uint32_t)strings->size;
    buffer_append(strings, text, strlen(text) + 1);
    return offset;
}

static size_t padding(size_t size)
{
    return (CBN_TABLE_ALIGNMENT - size % CBN_TABLE_ALIGNMENT) % CBN_TABLE_ALIGNMENT;
}

void table_align(struct buffer *out, size_t start)
{
    static const char zeros[CBN_TABLE_ALIGNMENT];
    buffer_append(out, zeros, padding(out->size - start));
}

/* A table without rows is left out. */
static size_t count_present(const struct table_set *set)
{
    size_t present = 0;
    for (size_t i = 0; i < set->count; i++) {
        present += set->tables[i].rows.size > 0;
    }
    return present;
}

static size_t directory_size(const struct table_set *set)
{
    return CBN_DIRECTORY_SIZE + count_present(set) * CBN_DIRECTORY_ENTRY_SIZE;
}

size_t table_set_size(const struct table_set *set, size_t head)
{
    size_t size = head + directory_size(set);
    for (size_t i = 0; i < set->count; i++) {
        if (set->tables[i].rows.size > 0) {
            size += padding(size) + set->tables[i].rows.size;
        }
    }
    return size - head;
}

static void append_directory(const struct table_set *set, struct buffer *out, size_t start)
{
    size_t offset = out->size - start + directory_size(set);
    unsigned char head[CBN_DIRECTORY_SIZE] = {0};
    cbn_put16(head, (uint16_t)count_present(set));
    buffer_append(out, head, sizeof(head));
    for (size_t i = 0; i < set->count; i++) {
        const struct table *table = &set->tables[i];
        if (table->rows.size == 0) {
            continue;
        }
        offset += padding(offset);
        unsigned char entry[CBN_DIRECTORY_ENTRY_SIZE];
        cbn_put16(entry + CBN_ENTRY_ID, table->id);
        cbn_put16(entry + CBN_ENTRY_STRIDE, table->stride);
        cbn_put32(entry + CBN_ENTRY_OFFSET, (uint32_t)offset);
        cbn_put32(entry + CBN_ENTRY_COUNT, (uint32_t)(table->rows.size / table->stride));
        buffer_append(out, entry, sizeof(entry));
        offset += table->rows.size;
    }
}

void table_set_append(const struct table_set *set, struct buffer *out, size_t start)
{
    append_directory(set, out, start);
    for (size_t i = 0; i < set->count; i++) {
        const struct buffer *rows = &set->tables[i].rows;
        out->failed = out->failed || rows->failed;
        if (rows->size > 0) {
            table_align(out, start);
            buffer_append(out, rows->data, rows->size);
        }
    }
}

void table_set_free(struct table_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        buffer_free(&set->tables[i].rows);
    }
}
