/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a file whole or not at all: a file without a name in the same folder, or a temporary one where
 * there are no such files, synced, then named and renamed. */
#ifndef ATOMIC_FILE_H
#define ATOMIC_FILE_H

#include <cubinet/status.h>

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct atomic_file {
    FILE *stream;     /* that of a temporary file can be read, too */
    const char *path; /* as it was given, for messages */
    char *target;     /* the file to replace: behind `path` if that is a symbolic link */
    bool is_unnamed;  /* the stream's file had no name when it was opened */
    bool has_mode;    /* the new file gets `mode`; otherwise it stays as it was made */
    mode_t mode;
    char *temporary; /* its name; NULL if it has none, or the stream is the target itself */
    int lock;        /* if it has one: a descriptor that holds the file's lock; -1 if there is none */
};

/* Opens a file to be written through `stream`. Until atomic_file_commit() whatever is at `path` stays as it
 * is; if the process ends before that, even by SIGKILL, no temporary file is left. (Where there are no files
 * without a name, by SIGINT, SIGTERM or SIGHUP, and of several open files that holds for the last one. What
 * stays is removed when the same path is opened again.) A file that is replaced keeps its permissions;
 * where there was none, they are those of any file that the user creates.
 *
 * A symbolic link stays, and the file behind it is replaced. What is not a regular file (a pipe, /dev/stdout)
 * is written directly. A folder is CUBINET_ERROR_IO. `path` must outlive the file. */
cubinet_status atomic_file_open(const char *path, struct atomic_file *out_file);

/* Gives the new file other permissions. Until it is in place, others than its owner have no more than these.
 */
cubinet_status atomic_file_set_mode(struct atomic_file *file, mode_t mode);

enum atomic_file_how {
    ATOMIC_FILE_KEEP_IF_EQUAL = 1, /* a file with the same bytes stays untouched, its time too */
    /* Not synced, which takes longer than to find a compile in the cache: after a power failure the file may
     * be empty. For what a build makes again, as object files of other compilers. */
    ATOMIC_FILE_UNSYNCED = 2,
};

/* Puts the file in place, after which the file is closed whatever the result.
 * how: values of atomic_file_how in sum */
cubinet_status atomic_file_commit(struct atomic_file *file, unsigned how);

/* Closes and removes what was written. After a commit, or on a zeroed file, it does nothing. */
void atomic_file_discard(struct atomic_file *file);

/* CUBINET_ERROR_IO for `path`, with errno's text. */
cubinet_status atomic_file_error(const char *path);

#endif
