/* SPDX-License-Identifier: Apache-2.0 */
/* A cache's folder, opened once and then used by its descriptor, so that no path is followed twice.
 *
 * What is in it decides what code runs on the GPU, so nobody but its owner may be able to write there. */
#ifndef CBN_CACHE_FOLDER_H
#define CBN_CACHE_FOLDER_H

#include <cubinet/status.h>

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

struct cbn_cache_folder {
    int fd;      /* -1: there is none */
    char *path;  /* as it was named */
    uid_t owner; /* of every file that is trusted */
};

enum cbn_cache_folder_use {
    CBN_CACHE_FOLDER_CREATE, /* one's own; created with mode 0700 if it is missing, and its parents */
    CBN_CACHE_FOLDER_OWN,    /* one's own */
    CBN_CACHE_FOLDER_SHARED, /* anyone's: who names it trusts its owner */
};

/* Opens a folder; a path without a slash at its end. On failure `*out_problem` is the message, for the caller
 * to free, or NULL if there is no memory: the thread's own is left alone, because a cache does without.
 * CUBINET_ERROR_NOT_FOUND if it is not there, CUBINET_ERROR_IO if it can't be opened or trusted. */
cubinet_status cbn_cache_folder_open(const char *path, enum cbn_cache_folder_use use,
                                     struct cbn_cache_folder *out_folder, char **out_problem);
void cbn_cache_folder_close(struct cbn_cache_folder *folder);

/* Whether a file of the folder may be used: a regular one of the folder's owner that only he can write. */
bool cbn_cache_folder_trusts(const struct cbn_cache_folder *folder, const struct stat *info);

#endif
