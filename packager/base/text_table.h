/* SPDX-License-Identifier: Apache-2.0 */
/* Text in aligned columns. */
#ifndef TEXT_TABLE_H
#define TEXT_TABLE_H

#include "base/buffer.h"

#include <cubinet/status.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct text_table {
    const char *alignment; /* a letter for each column: l or r */
    struct buffer cells;   /* each with its NUL, row after row */
    size_t cell_count;
};

/* Adds the next cell; a row is full when every column has one. */
__attribute__((format(printf, 2, 3))) void text_table_add(struct text_table *table, const char *format, ...);

/* Prints the rows, `indent` spaces before each and two between columns, and frees the table.
 * CUBINET_ERROR_OUT_OF_MEMORY if a cell could not be added. */
cubinet_status text_table_print(struct text_table *table, int indent, FILE *file);

/* A size for people: "512 B", "10.6 KB", "104 KB", "2.30 MB". */
enum { SIZE_TEXT_SIZE = 16 };
const char *size_text(unsigned long long bytes, char text[SIZE_TEXT_SIZE]);

/* Whether a number is that of a CUDA release: 1000 × major + 10 × minor. */
bool is_release(uint32_t number);

/* A CUDA release as text: "13.0" for 13000, "unknown" for 0. Returns `text`. */
enum { RELEASE_TEXT_SIZE = 16 };
const char *release_text(uint32_t release, char text[RELEASE_TEXT_SIZE]);

#endif
