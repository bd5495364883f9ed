/* SPDX-License-Identifier: Apache-2.0 */
/* The part of an index that grows with the modules: their blocks, and the lists by which readers find those.
 * docs/reference/format.md, "Pages". */
#ifndef INDEX_MODULES_H
#define INDEX_MODULES_H

#include "archive/index_block.h"
#include "archive/table_writer.h"

#include <stdbool.h>

/* Parts of the index, blocks or pages, and the rows that list them, which lie in a table set. */
struct index_list {
    struct buffer *strings;
    struct buffer *rows;
    struct buffer *seals;      /* NULL: the archive is not signed */
    struct buffer parts;       /* from the first one's first byte on */
    struct buffer first_block; /* not compressed, where blocks are: the others are compressed after it */
    uint64_t before;           /* bytes of the index before the parts, those of tables excepted */
    uint64_t raw_size;         /* of all blocks of the index that are compressed */
};

/* Whether the modules are so many that they are listed in pages. */
bool index_has_pages(const struct index_writer *writer);

/* Whether blocks of modules are compressed after that of a module with images of parts. */
bool index_needs_parts(const struct index_writer *writer);

/* Adds to a root the list of the modules, or of their pages, whose rows have no place yet. The caller frees
 * `out_list`, on failure too. */
cubinet_status index_modules_add(const struct index_writer *writer, struct table_set *root,
                                 struct buffer *strings, struct index_list *out_list);

/* Gives the parts their place in the rows: after that many bytes of tables, at the next multiple of 8.
 * CUBINET_ERROR_LIMIT if that is further than an index reaches. */
cubinet_status index_list_place(const struct index_list *list, size_t tables_size);

void index_list_free(struct index_list *list);

#endif
