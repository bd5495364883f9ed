/* SPDX-License-Identifier: Apache-2.0 */
/* A set of names in PTX text, each with a number: made once, asked for every word of the text. */
#ifndef PTX_TABLE_H
#define PTX_TABLE_H

#include "loader/link/ptx_lexer.h"

struct ptx_table_entry {
    struct cbn_ptx_token name; /* size 0: free */
    size_t number;
    size_t hash;
};

/* Zero-initialise to start. Names are not copied. */
struct ptx_table {
    struct ptx_table_entry *entries;
    size_t capacity; /* 0 or a power of 2 */
    size_t count;
    /* A bit for each size (from 255 on all in one) and first byte that a name has: most words of a function
     * are none of ours, and this tells without a digest. */
    uint64_t shapes[256][4];
};

/* Adds a name with the number, unless it is there. out_entry: the entry that has it. False if memory is out.
 */
bool ptx_table_add(struct ptx_table *table, struct cbn_ptx_token name, size_t number,
                   const struct ptx_table_entry **out_entry);

/* NULL if the name is not there. */
const struct ptx_table_entry *ptx_table_find(const struct ptx_table *table, struct cbn_ptx_token name);

void ptx_table_free(struct ptx_table *table);

#endif
