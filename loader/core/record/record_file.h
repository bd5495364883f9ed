/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a record of use: a file, or several one after another, which is how records merge. */
#ifndef CBN_RECORD_FILE_H
#define CBN_RECORD_FILE_H

#include "loader/core/record/record_line.h"

#include <cubinet/status.h>

/* Entries in the order of use. Zero-initialise to start. */
struct cbn_record {
    struct cbn_record_entry *entries; /* their strings are in `texts` */
    size_t count;
    size_t capacity;
    size_t
        damaged; /* lines that were passed over: a process ended, or the disk was full, when it wrote them */
    char **texts;
    size_t text_count;
};

/* Records are read up to this many bytes: an entry has a few hundred. */
#define CBN_RECORD_MAX ((size_t)256 << 20)

/* Adds what a file has. CUBINET_ERROR_IO, CUBINET_ERROR_LIMIT, CUBINET_ERROR_NEWER_FORMAT;
 * CUBINET_ERROR_DAMAGED if nothing in it is an entry. An empty file has none, and is a record. */
cubinet_status cbn_record_read(const char *path, struct cbn_record *record);

/* As cbn_record_read(), of text in memory: `size` bytes and a NUL, from malloc(). Takes it over, also on
 * failure. `name` is what messages call it. */
cubinet_status cbn_record_add(struct cbn_record *record, char *text, size_t size, const char *name);

void cbn_record_free(struct cbn_record *record);

#endif
