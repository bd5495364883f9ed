/* SPDX-License-Identifier: Apache-2.0 */
/* Which files the compiler opened, and which it looked for in vain.
 *
 * NVRTC does not tell. It opens files through the dynamic symbols fopen and open, so the command exports its
 * own (opened_files.c): they note the path and call the C library's. A program that links this must export
 * them: see the link options of cubinet_packager.
 *
 * A pipe is not opened as a stream to be read, nor one to be written that nobody reads, and no device while
 * files are noted: it would make NVRTC or nvJitLink wait, or never come to an end. errno is ENXIO then. */
#ifndef OPENED_FILES_H
#define OPENED_FILES_H

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>

struct opened_files {
    char **opened; /* as the compiler spelled them, sorted by bytes, each once */
    size_t opened_count;
    char **missing;
    size_t missing_count;
    bool replaced; /* a path leads to another file by now than the one that was opened */
};

/* Starts noting what the whole process opens for reading. */
void opened_files_start(void);

/* Stops, and hands over what was noted since the start, which the caller frees. */
cubinet_status opened_files_stop(struct opened_files *out_files);

/* Notes a path as if the compiler had opened it, or looked for it in vain: what another process saw of that
 * for this one. */
void opened_files_add(const char *path, bool is_missing);

/* Notes nothing of what is opened until it is called with false again. */
void opened_files_pause(bool pause);

/* Removes a path that is not an input. */
void opened_files_remove(const char *path);

void opened_files_free(struct opened_files *files);

#endif
