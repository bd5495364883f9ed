/* SPDX-License-Identifier: Apache-2.0 */
/* Building a table set, the shape that the index's root and blocks have: docs/reference/format.md, "Table
 * sets". */
#ifndef TABLE_WRITER_H
#define TABLE_WRITER_H

#include "base/buffer.h"

#include <stdint.h>

struct table {
    uint16_t id;
    uint16_t stride;
    struct buffer rows;
};

enum { TABLE_SET_MAX = 20 };

/* Zero-initialise to start. Running out of memory shows in the buffers. */
struct table_set {
    struct table tables[TABLE_SET_MAX];
    size_t count;
};

/* Adds a table and returns the buffer for its rows. Tables are added in the order of their ids. */
struct buffer *table_set_add(struct table_set *set, uint16_t id, uint16_t stride);

/* Adds the string table, which comes first. */
struct buffer *table_set_add_strings(struct table_set *set);

/* A string's offset in the string table, where it is added; 0 for NULL and "". */
uint32_t table_string(struct buffer *strings, const char *text);

/* Bytes that the directory and the tables take after `head` bytes of something else. */
size_t table_set_size(const struct table_set *set, size_t head);

/* Appends the directory and every table with rows. Offsets count from `start`, the place in `out` where the
 * root or block begins. */
void table_set_append(const struct table_set *set, struct buffer *out, size_t start);

/* Appends zeros up to the next multiple of 8 from `start`. */
void table_align(struct buffer *out, size_t start);

void table_set_free(struct table_set *set);

#endif
