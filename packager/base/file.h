/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files, in and out. */
#ifndef FILE_H
#define FILE_H

#include "loader/core/support/sha256.h"

#include <cubinet/status.h>

#include <stddef.h>
#include <stdio.h>

/* Reads a file. The bytes have a NUL after them that is not counted; the caller frees them.
 * A failure is CUBINET_ERROR_IO (also for a directory), and the message names the file.
 *
 * A pipe, such as a shell's <(command), or a device is read to its end too, but not beyond 64 MB. A FIFO that
 * nobody writes to is refused. */
cubinet_status file_read(const char *path, char **out_data, size_t *out_size);

/* A file's digest, as `sha256sum` prints it. It is read piece by piece. */
cubinet_status file_sha256(const char *path, struct cbn_sha256 *out_digest);
/* Opens a regular file for reading; the caller closes it. Anything else is refused, as it may have no end or
 * make the process wait: CUBINET_ERROR_IO, and the message names the file. */
cubinet_status file_open(const char *path, FILE **out_file);

/* Writes a file whole or not at all: see atomic_file.h. */
cubinet_status file_replace(const char *path, const void *data, size_t size);

/* The same, but a file that holds these bytes stays untouched, its time too. */
cubinet_status file_replace_if_different(const char *path, const void *data, size_t size);

/* The same in a chosen way: values of atomic_file_how in sum. */
cubinet_status file_replace_how(const char *path, const void *data, size_t size, unsigned how);

#endif
