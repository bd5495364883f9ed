/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/reading/ptx_table.h"

#include "loader/core/archive/digest.h"

#include <stdlib.h>
#include <string.h>

static size_t shape_row(struct cbn_ptx_token name)
{
    return name.size < 255 ? name.size : 255;
}

static size_t shape_column(struct cbn_ptx_token name)
{
    return (unsigned char)*name.text / 64;
}

static uint64_t shape_bit(struct cbn_ptx_token name)
{
    return (uint64_t)1 << ((unsigned char)*name.text % 64);
}

static size_t hash(struct cbn_ptx_token name)
{
    struct cbn_digest digest = cbn_digest(name.text, name.size);
    return (size_t)cbn_get64(digest.bytes);
}

/* The entry that has the name, or the free one that it would take. There is always a free one. */
static struct ptx_table_entry *slot(struct ptx_table_entry *entries, size_t capacity,
                                    struct cbn_ptx_token name, size_t name_hash)
{
    size_t at = name_hash & (capacity - 1);
    while (entries[at].name.size != 0 &&
           (entries[at].hash != name_hash || entries[at].name.size != name.size ||
            memcmp(entries[at].name.text, name.text, name.size) != 0)) {
        at = (at + 1) & (capacity - 1);
    }
    return &entries[at];
}

static bool grow(struct ptx_table *table)
{
    size_t capacity = table->capacity ? table->capacity * 2 : 64;
    struct ptx_table_entry *entries = calloc(capacity, sizeof(*entries));
    if (!entries) {
        return false;
    }
    for (size_t i = 0; i < table->capacity; i++) {
        const struct ptx_table_entry *entry = &table->entries[i];
        if (entry->name.size != 0) {
            *slot(entries, capacity, entry->name, entry->hash) = *entry;
        }
    }
    free(table->entries);
    table->entries = entries;
    table->capacity = capacity;
    return true;
}

bool ptx_table_add(struct ptx_table *table, struct cbn_ptx_token name, size_t number,
                   const struct ptx_table_entry **out_entry)
{
    if (table->count >= table->capacity / 2 && !grow(table)) {
        return false;
    }
    size_t name_hash = hash(name);
    struct ptx_table_entry *entry = slot(table->entries, table->capacity, name, name_hash);
    if (entry->name.size == 0) {
        *entry = (struct ptx_table_entry){.name = name, .number = number, .hash = name_hash};
        table->count++;
        table->shapes[shape_row(name)][shape_column(name)] |= shape_bit(name);
    }
    *out_entry = entry;
    return true;
}

const struct ptx_table_entry *ptx_table_find(const struct ptx_table *table, struct cbn_ptx_token name)
{
    if (name.size == 0 || !(table->shapes[shape_row(name)][shape_column(name)] & shape_bit(name))) {
        return NULL;
    }
    const struct ptx_table_entry *entry = slot(table->entries, table->capacity, name, hash(name));
    return entry->name.size != 0 ? entry : NULL;
}

void ptx_table_free(struct ptx_table *table)
{
    free(table->entries);
    *table = (struct ptx_table){0};
}
