/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/launch_tables.h"

#include "loader/core/archive/format.h"

struct tables {
    struct buffer *launches;
    struct buffer *hidden;
    struct buffer *names;
    struct buffer *strings;
};

static void put_triple(unsigned char *bytes, const uint32_t values[3])
{
    for (size_t i = 0; i < 3; i++) {
        cbn_put32(bytes + 4 * i, values[i]);
    }
}

/* The row where a list starts; 0 for an empty one. */
static uint32_t next_row(const struct buffer *rows, uint32_t size, uint32_t count)
{
    return count ? (uint32_t)(rows->size / size) : 0;
}

static void add_lists(const struct tables *tables, const cubinet_launch_record *record)
{
    for (uint32_t i = 0; i < record->hidden_count; i++) {
        const cubinet_hidden_param *hidden = &record->hidden[i];
        unsigned char row[CBN_HIDDEN_SIZE];
        cbn_put32(row + CBN_HIDDEN_PARAM, hidden->param);
        cbn_put32(row + CBN_HIDDEN_KIND, hidden->kind);
        cbn_put64(row + CBN_HIDDEN_BLOCK_BYTES, hidden->bytes_per_block);
        cbn_put32(row + CBN_HIDDEN_ALIGNMENT, hidden->alignment);
        cbn_put32(row + CBN_HIDDEN_DIMENSIONS, hidden->dimensions);
        buffer_append(tables->hidden, row, sizeof(row));
    }
    for (uint32_t i = 0; i < record->param_name_count; i++) {
        unsigned char row[CBN_PARAM_NAME_SIZE];
        cbn_put32(row + CBN_PARAM_NAME_NAME, table_string(tables->strings, record->param_names[i].name));
        cbn_put32(row + CBN_PARAM_NAME_TYPE, table_string(tables->strings, record->param_names[i].type));
        buffer_append(tables->names, row, sizeof(row));
    }
}

static void add_record(const struct tables *tables, const cubinet_launch_record *record, uint32_t resource)
{
    unsigned char row[CBN_LAUNCH_SIZE] = {0};
    uint32_t flags = (record->flags & CUBINET_RECORD_TAKES_DYNAMIC_SHARED ? CBN_LAUNCH_TAKES_SHARED : 0U) |
                     (record->flags & CUBINET_RECORD_COOPERATIVE ? CBN_LAUNCH_COOPERATIVE : 0U) |
                     (record->flags & CUBINET_RECORD_WAITS ? CBN_LAUNCH_WAITS : 0U) |
                     (record->flags & CUBINET_RECORD_TRIGGERS ? CBN_LAUNCH_TRIGGERS : 0U);
    cbn_put32(row + CBN_LAUNCH_RESOURCE, resource);
    cbn_put32(row + CBN_LAUNCH_FLAGS, flags);
    cbn_put32(row + CBN_LAUNCH_DYNAMIC_SHARED, record->dynamic_shared_bytes);
    put_triple(row + CBN_LAUNCH_BLOCK, record->block);
    put_triple(row + CBN_LAUNCH_GRID_FACTOR, record->grid_factor);
    put_triple(row + CBN_LAUNCH_CLUSTER, record->cluster);
    cbn_put32(row + CBN_LAUNCH_FIRST_HIDDEN, next_row(tables->hidden, CBN_HIDDEN_SIZE, record->hidden_count));
    cbn_put16(row + CBN_LAUNCH_HIDDEN_COUNT, (uint16_t)record->hidden_count);
    cbn_put16(row + CBN_LAUNCH_NAME_COUNT, (uint16_t)record->param_name_count);
    cbn_put32(row + CBN_LAUNCH_FIRST_NAME,
              next_row(tables->names, CBN_PARAM_NAME_SIZE, record->param_name_count));
    buffer_append(tables->launches, row, sizeof(row));
    add_lists(tables, record);
}

void launch_tables_add(struct table_set *set, struct buffer *strings, const struct draft_module *module)
{
    struct tables tables = {
        .launches = table_set_add(set, CBN_TABLE_LAUNCHES, CBN_LAUNCH_SIZE),
        .hidden = table_set_add(set, CBN_TABLE_HIDDEN_PARAMS, CBN_HIDDEN_SIZE),
        .names = table_set_add(set, CBN_TABLE_PARAM_NAMES, CBN_PARAM_NAME_SIZE),
        .strings = strings,
    };
    uint32_t resource = 0;
    for (size_t i = 0; i < module->image_count; i++) {
        const struct draft_image *image = &module->images[i];
        for (size_t j = 0; j < image->use_count; j++, resource++) {
            if (!launch_record_is_empty(&image->uses[j].launch)) {
                add_record(&tables, &image->uses[j].launch.known, resource);
            }
        }
    }
}
