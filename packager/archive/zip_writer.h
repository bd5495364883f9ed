/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a zip file of stored entries, knowing where each entry's data lies. Its records have nothing that
 * is not required: general zip libraries add times and owners to each entry, twice, which in an archive of
 * small images is a good part of the file. */
#ifndef ZIP_WRITER_H
#define ZIP_WRITER_H

#include "base/byte_span.h"

#include <cubinet/status.h>

#include <stdint.h>
#include <stdio.h>
#include <time.h>

struct zip_writer;

/* The one time that all entries have: 1980-01-01 00:00 UTC, the first that zip can express, or what
 * SOURCE_DATE_EPOCH says. CUBINET_ERROR_INVALID_ARGUMENT if that is not a number of seconds. */
cubinet_status zip_time(time_t *out_time);

/* stream: where the file goes, from its start; NULL: nowhere, to learn the places of things */
cubinet_status zip_writer_open(FILE *stream, time_t time, struct zip_writer **out_writer);

/* Adds an entry whose bytes are those parts, one after the other. They are not read while places are learned.
 * out_offset: of its data from the start of the file
 * A failure to write is CUBINET_ERROR_IO with errno's text as the whole message. */
cubinet_status zip_writer_add(struct zip_writer *writer, const char *name, const struct byte_span *parts,
                              size_t part_count, uint64_t *out_offset);

/* Writes the zip directory. out_size: of the whole file. */
cubinet_status zip_writer_finish(struct zip_writer *writer, uint64_t *out_size);

/* NULL is allowed. */
void zip_writer_free(struct zip_writer *writer);

#endif
