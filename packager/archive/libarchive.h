/* SPDX-License-Identifier: Apache-2.0 */
/* libarchive, opened at run time: with what it needs, libxml2 and ICU among them, it would be most of the
 * time that a command takes to start, and one alone has use for it. */
#ifndef LIBARCHIVE_H
#define LIBARCHIVE_H

#include "loader/core/support/dynlib.h"

#include <cubinet/status.h>

#include <stddef.h>
#include <stdint.h>

/* As in its headers, which are not needed to build the command. */
struct archive;
struct archive_entry;
enum { LIBARCHIVE_EOF = 1, LIBARCHIVE_OK = 0 };

/* X(name, result, parameters) */
#define LIBARCHIVE_FUNCTIONS(X)                                                                              \
    X(archive_read_new, struct archive *, (void))                                                            \
    X(archive_read_support_format_zip_seekable, int, (struct archive * archive))                             \
    X(archive_read_open_memory, int, (struct archive * archive, const void *bytes, size_t size))             \
    X(archive_read_next_header, int, (struct archive * archive, struct archive_entry * *entry))              \
    X(archive_read_data_block, int,                                                                          \
      (struct archive * archive, const void **block, size_t *size, int64_t *offset))                         \
    X(archive_read_free, int, (struct archive * archive))                                                    \
    X(archive_entry_pathname, const char *, (struct archive_entry * entry))                                  \
    X(archive_error_string, const char *, (struct archive * archive))

struct libarchive_table {
#define LIBARCHIVE_FIELD(name, result, parameters) result(*name) parameters;
    LIBARCHIVE_FUNCTIONS(LIBARCHIVE_FIELD)
#undef LIBARCHIVE_FIELD
};

struct libarchive {
    struct cbn_library library;
    struct libarchive_table table;
};

/* A failure is CUBINET_ERROR_NOT_FOUND. */
cubinet_status libarchive_open(struct libarchive *out_library);
void libarchive_close(struct libarchive *library);

#endif
