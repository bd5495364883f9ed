/* SPDX-License-Identifier: Apache-2.0 */
/* Digests of files, remembered in a cache's folder (its file `files`), so that what has not changed need not
 * be read again: a compile of a source with 600 headers looks at 600 times instead of 6 MB.
 *
 * A file is known by its device, inode, size and times of last modification and change. The latter can't be
 * set by a program, so no edit goes unseen that comes later than the clock's step after the one before; and a
 * file that was changed in the last seconds is not remembered, because it could be changed again within one
 * step of its file system's clock. */
#ifndef CBN_FILE_DIGESTS_H
#define CBN_FILE_DIGESTS_H

#include "loader/cache/cache_folder.h"
#include "loader/core/support/sha256.h"

#include <stdbool.h>
#include <sys/stat.h>

struct cbn_file_digests {
    int fd; /* -1: nothing is remembered */
};

/* Opens the table of a folder, which may be closed afterwards; without one, or where it can't be trusted,
 * every file is read. */
struct cbn_file_digests cbn_file_digests_open(const struct cbn_cache_folder *folder);
void cbn_file_digests_close(struct cbn_file_digests *digests);

/* The digest of a regular file that stat() says `about` of: remembered, or read and then remembered. False if
 * it can't be read. `about` becomes what it is of the file that was read. */
bool cbn_file_digest(const struct cbn_file_digests *digests, const char *path, struct stat *about,
                     struct cbn_sha256 *out_digest);

#endif
