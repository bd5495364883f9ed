/* SPDX-License-Identifier: Apache-2.0 */
/* Table sets of the archive's index: finding their tables, with everything about their place checked. What
 * the rows say is checked by those who know them (root.c, block.c). */
#ifndef CBN_TABLES_H
#define CBN_TABLES_H

#include "loader/core/archive/format.h"

#include <cubinet/status.h>

#include <stdbool.h>

/* A table whose rows all lie inside its set. */
struct cbn_table {
    const unsigned char *rows;
    uint32_t stride;
    uint32_t count; /* 0: the table is empty or left out */
};

/* A table that a set may have. */
struct cbn_table_kind {
    uint16_t id;
    uint16_t stride; /* the least that the rows may have */
};

/* Reads the directory at byte `directory` of a set of `size` bytes. Fills `out_tables[i]` for `kinds[i]`;
 * other tables are skipped if they are optional.
 *
 * CUBINET_ERROR_DAMAGED if a rule of docs/reference/format.md is broken, CUBINET_ERROR_NEWER_FORMAT for a
 * required table that is none of `kinds`. The message says only what is wrong: the caller adds where. */
cubinet_status cbn_tables_read(const unsigned char *set, uint32_t size, uint32_t directory,
                               const struct cbn_table_kind *kinds, size_t kind_count,
                               struct cbn_table *out_tables);

static inline const unsigned char *cbn_row(const struct cbn_table *table, uint32_t row)
{
    return table->rows + (size_t)row * table->stride;
}

/* The row that has a number in a column by which the rows are sorted; NULL if there is none. */
const unsigned char *cbn_find_row(const struct cbn_table *table, size_t column, uint32_t wanted);

/* The string at an offset of a string table; NULL if there is none. */
static inline const char *cbn_string(const struct cbn_table *strings, uint32_t offset)
{
    return offset < strings->count ? (const char *)strings->rows + offset : NULL;
}

/* Strings may share bytes, and comparing or printing many that do could take hours. So the strings of a table
 * have at most that many bytes for each byte of its set; those that share nothing have less than one. */
enum { CBN_STRINGS_RATIO = 4 };

/* How many bytes the strings of a table may have in a set of that size. */
static inline uint64_t cbn_string_room(uint32_t set_size)
{
    return (uint64_t)CBN_STRINGS_RATIO * set_size;
}

/* What rows share with each other beyond that: a kernel's names and parameters are told of each of its
 * images, a source of each that was made from it, and the names of a tuning of each record. Together they may
 * be as many bytes for each byte of the set. */
enum { CBN_SHARED_RATIO = 64 };

static inline uint64_t cbn_shared_room(uint32_t set_size)
{
    return (uint64_t)CBN_SHARED_RATIO * set_size;
}

/* The string at an offset, for which there must be room, which it takes; NULL if there is none, or if it
 * starts inside a character. It may have several lines. */
const char *cbn_take_string(const struct cbn_table *strings, uint32_t offset, uint64_t *io_room);

/* The same of one line. */
const char *cbn_take_name(const struct cbn_table *strings, uint32_t offset, uint64_t *io_room);

/* The same of a module's name, which has a limit of its own: it is told with everything in the module. */
const char *cbn_take_module_name(const struct cbn_table *strings, uint32_t offset, uint64_t *io_room);

/* The string whose offset stands at `field`, in a table set that has been checked. */
static inline const char *cbn_string_at(const struct cbn_table *strings, const unsigned char *field)
{
    return (const char *)strings->rows + cbn_get32(field);
}

/* Whether a table of a checked set, whose rows are in ascending byte order of the strings whose offsets stand
 * at byte `field` of each, has a row with that string. */
bool cbn_find_string(const struct cbn_table *table, const struct cbn_table *strings, uint32_t field,
                     const char *wanted, uint32_t *out_row);

#endif
