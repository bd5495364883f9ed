/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/table_writer.h"

#include "loader/core/archive/format.h"
#include "loader/core/archive/table_layout.h"

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

void table_align(struct buffer *out, size_t start)
{
    static const char zeros[CBN_TABLE_ALIGNMENT];
    buffer_append(out, zeros,
                  (CBN_TABLE_ALIGNMENT - (out->size - start) % CBN_TABLE_ALIGNMENT) % CBN_TABLE_ALIGNMENT);
}

/* Returns the size of the set, with the `head` bytes before its directory. */
static size_t lay_out(const struct table_set *set, size_t head, struct cbn_table_area areas[TABLE_SET_MAX])
{
    for (size_t i = 0; i < set->count; i++) {
        const struct table *table = &set->tables[i];
        areas[i] = (struct cbn_table_area){table->id, table->stride, table->rows.size / table->stride, 0};
    }
    return cbn_table_layout(areas, set->count, head);
}

size_t table_set_size(const struct table_set *set, size_t head)
{
    struct cbn_table_area areas[TABLE_SET_MAX];
    return lay_out(set, head, areas) - head;
}

void table_set_append(const struct table_set *set, struct buffer *out, size_t start)
{
    struct cbn_table_area areas[TABLE_SET_MAX];
    unsigned char directory[CBN_DIRECTORY_SIZE + TABLE_SET_MAX * CBN_DIRECTORY_ENTRY_SIZE] = {0};
    lay_out(set, out->size - start, areas);
    cbn_table_directory_put(directory, areas, set->count);
    buffer_append(out, directory, cbn_table_directory_size(areas, set->count));
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
