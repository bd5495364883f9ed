/* SPDX-License-Identifier: Apache-2.0 */
/* Files of which the compiler reads another text than they have. opened_files.c asks here for each file that
 * it opens as a stream. Which file it is, its device and inode say, not its path. */
#ifndef REPLACED_FILES_H
#define REPLACED_FILES_H

#include <cubinet/status.h>

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct replaced_file {
    dev_t device;
    ino_t inode;
    const char *text;
};

/* Replaces the text of these files from now on. The array and the texts have to stay until the stop. */
void replaced_files_start(const struct replaced_file *files, size_t count);

void replaced_files_stop(void);

/* The stream to read instead, if the file's text is replaced; then the given one is closed. What
 * can't be replaced is NULL, with errno. */
FILE *replaced_files_stream(FILE *file);

/* A file without a name that has a text; NULL, with errno: it can't be made. */
FILE *replaced_files_stream_of(const char *text);

#endif
