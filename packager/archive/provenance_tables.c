/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/provenance_tables.h"

#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

/* The distinct ones that have rows, in the order of these. */
struct sources {
    const struct provenance **items;
    size_t count;
};

static void add_source(struct buffer *rows, size_t size, struct buffer *strings,
                       const struct provenance *provenance)
{
    unsigned char row[CBN_SOURCE_SIZE_WITH_DIGESTS];
    cbn_put32(row + CBN_SOURCE_NAME, table_string(strings, provenance->source));
    cbn_put32(row + CBN_SOURCE_OPTIONS, table_string(strings, provenance->options));
    cbn_put32(row + CBN_SOURCE_COMPILER, table_string(strings, provenance->compiler));
    memcpy(row + CBN_SOURCE_DIGEST, provenance->source_sha256, CBN_SHA256_SIZE);
    memcpy(row + CBN_SOURCE_INPUTS_DIGEST, provenance->inputs_sha256, CBN_SHA256_SIZE);
    buffer_append(rows, row, size);
}

/* Rows are short where no source has digests. */
static size_t row_size(const struct draft_module *module)
{
    static const unsigned char unknown[CBN_SHA256_SIZE];
    for (size_t i = 0; i < module->image_count; i++) {
        if (memcmp(module->images[i].provenance.source_sha256, unknown, sizeof(unknown)) != 0) {
            return CBN_SOURCE_SIZE_WITH_DIGESTS;
        }
    }
    return CBN_SOURCE_SIZE;
}

static size_t find_source(const struct sources *sources, const struct provenance *provenance)
{
    size_t place = 0;
    while (place < sources->count && provenance_compare(sources->items[place], provenance) != 0) {
        place++;
    }
    return place;
}

cubinet_status provenance_tables_add(struct table_set *set, struct buffer *strings,
                                     const struct draft_module *module)
{
    struct sources sources = {.items = calloc(module->image_count + 1, sizeof(*sources.items))};
    if (!sources.items) {
        return cbn_error_memory();
    }
    struct buffer *origins = table_set_add(set, CBN_TABLE_ORIGINS, CBN_ORIGIN_SIZE);
    size_t size = row_size(module);
    struct buffer *rows = table_set_add(set, CBN_TABLE_SOURCES, (uint16_t)size);
    for (size_t i = 0; i < module->image_count; i++) {
        const struct provenance *provenance = &module->images[i].provenance;
        if (!provenance_is_known(provenance) || module->images[i].part > 0) {
            continue;
        }
        size_t source = find_source(&sources, provenance);
        if (source == sources.count) {
            sources.items[sources.count++] = provenance;
            add_source(rows, size, strings, provenance);
        }
        unsigned char row[CBN_ORIGIN_SIZE];
        cbn_put32(row + CBN_ORIGIN_IMAGE, (uint32_t)i);
        cbn_put32(row + CBN_ORIGIN_SOURCE, (uint32_t)source);
        buffer_append(origins, row, sizeof(row));
    }
    free(sources.items);
    return CUBINET_OK;
}
