/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of cases share: places in an archive, and what is done there. */
#ifndef FORMAT_CHANGES_H
#define FORMAT_CHANGES_H

#include "format_cases.h"

/* Numbers of a case: where, and what is put there. They are the page's own: nothing here comes from the
 * library's headers. */

#define ROW(set, table, row, offset, width, value)                                                           \
    {                                                                                                        \
        IN_ROW, set, table, row, offset, width, value                                                        \
    }
#define ENTRY(set, table, offset, width, value)                                                              \
    {                                                                                                        \
        IN_ENTRY, set, table, 0, offset, width, value                                                        \
    }
#define SET(set, offset, width, value)                                                                       \
    {                                                                                                        \
        IN_SET, set, 0, 0, offset, width, value                                                              \
    }
#define FILE_AT(offset, width, value)                                                                        \
    {                                                                                                        \
        IN_FILE, 0, 0, 0, offset, width, value                                                               \
    }
#define END(offset, width, value)                                                                            \
    {                                                                                                        \
        BEFORE_END, 0, 0, 0, offset, width, value                                                            \
    }

#define ROOT BUILT_ROOT
enum { FAR = 0x00ffffff }; /* an offset that no string table reaches */

/* Makes room for bytes, which are zero. */
void insert_bytes(struct built *built, size_t place, size_t size);
unsigned char *row_of(const struct built *built, int set, uint16_t table, size_t row);
unsigned char *stored_bytes(const struct built *built, int module, size_t image);
/* The first place of a text in a set's strings, to be altered. */
char *find_text(const struct built *built, int set, const char *text);
void swap_bytes(unsigned char *a, unsigned char *b, size_t size);
void spoil_block_digest(struct built *built);
void spoil_page_digest(struct built *built);
void spoil_image_digest(struct built *built);
/* Leaves the last row of a table out. */
void leave_out_row(struct built *built, int set, uint16_t table);
void write_no_licence(struct built *built);
void lengthen_index(struct built *built);

#endif
