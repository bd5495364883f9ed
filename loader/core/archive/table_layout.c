/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/archive/table_layout.h"

#include "loader/core/archive/format.h"

static uint16_t count_present(const struct cbn_table_area *areas, size_t count)
{
    uint16_t present = 0;
    for (size_t i = 0; i < count; i++) {
        present = (uint16_t)(present + (areas[i].count > 0));
    }
    return present;
}

size_t cbn_table_directory_size(const struct cbn_table_area *areas, size_t count)
{
    return CBN_DIRECTORY_SIZE + (size_t)count_present(areas, count) * CBN_DIRECTORY_ENTRY_SIZE;
}

size_t cbn_table_layout(struct cbn_table_area *areas, size_t count, size_t head)
{
    size_t end = head + cbn_table_directory_size(areas, count);
    for (size_t i = 0; i < count; i++) {
        if (areas[i].count > 0) {
            areas[i].offset = (end + CBN_TABLE_ALIGNMENT - 1) / CBN_TABLE_ALIGNMENT * CBN_TABLE_ALIGNMENT;
            end = areas[i].offset + areas[i].count * areas[i].stride;
        }
    }
    return end;
}

void cbn_table_directory_put(unsigned char *directory, const struct cbn_table_area *areas, size_t count)
{
    unsigned char *entry = directory + CBN_DIRECTORY_SIZE;
    cbn_put16(directory, count_present(areas, count));
    for (size_t i = 0; i < count; i++) {
        const struct cbn_table_area *area = &areas[i];
        if (area->count > 0) {
            cbn_put16(entry + CBN_ENTRY_ID, area->id);
            cbn_put16(entry + CBN_ENTRY_STRIDE, area->stride);
            cbn_put32(entry + CBN_ENTRY_OFFSET, (uint32_t)area->offset);
            cbn_put32(entry + CBN_ENTRY_COUNT, (uint32_t)area->count);
            entry += CBN_DIRECTORY_ENTRY_SIZE;
        }
    }
}
