/* SPDX-License-Identifier: Apache-2.0 */
/* Where the tables of a set that is to be written lie: docs/reference/format.md, "Table sets". */
#ifndef CBN_TABLE_LAYOUT_H
#define CBN_TABLE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

struct cbn_table_area {
    uint16_t id;
    uint16_t stride;
    size_t count;  /* of rows; a table without any is left out */
    size_t offset; /* from the start of its set; cbn_table_layout() sets it */
};

/* The size of the directory. */
size_t cbn_table_directory_size(const struct cbn_table_area *areas, size_t count);

/* Gives every table its place after the directory, which comes after `head` bytes. Returns the set's size,
 * these bytes included. */
size_t cbn_table_layout(struct cbn_table_area *areas, size_t count, size_t head);

/* Writes the directory of tables that have their places. */
void cbn_table_directory_put(unsigned char *directory, const struct cbn_table_area *areas, size_t count);

#endif
