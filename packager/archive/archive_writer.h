/* SPDX-License-Identifier: Apache-2.0 */
/* Filing a draft as an archive: docs/reference/format.md. */
#ifndef ARCHIVE_WRITER_H
#define ARCHIVE_WRITER_H

#include "archive/draft.h"
#include "origin/signing_key.h"

#include <stdbool.h>
#include <stdint.h>

struct archive_writer_options {
    const struct signing_key *keys; /* that sign it, `key_count` of them */
    size_t key_count;
    /* 0: images as they are, for every reader. 1 to 19: as zstd frames where that is smaller, and a
     * compressed index, for readers of format 1.2. More than 64 modules are for readers of 1.3. */
    int zstd_level;
    uint32_t
        threads; /* that compress; 0: as many as processors. The bytes do not depend on it: store_images.h */
    /* The archive that the draft has all modules and images of, to store these as they are there; NULL: they
     * are stored anew. The level is that of the index then. */
    const cubinet_archive *images_as;
    bool keep_if_equal; /* a file that holds these very bytes stays untouched, so that build tools see no
                           change */
};

/* Writes an archive to `path`, whole or not at all: see atomic_file.h. The same draft gives the same bytes.
 */
cubinet_status archive_write_file(const struct draft *draft, const struct archive_writer_options *options,
                                  const char *path);

/* Makes the bytes of an archive, with images as they are. The caller frees them. */
cubinet_status archive_make(const struct draft *draft, char **out_data, size_t *out_size);

#endif
