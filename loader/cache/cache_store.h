/* SPDX-License-Identifier: Apache-2.0 */
/* Writing an entry into a folder: whole or not at all, for readers as for a power failure. */
#ifndef CBN_CACHE_STORE_H
#define CBN_CACHE_STORE_H

#include "loader/cache/cache_blob.h"
#include "loader/cache/cache_folder.h"
#include "loader/cache/cache_key.h"

#include <stdint.h>

/* What half-written entries are called: this, and 16 digits. */
#define CBN_CACHE_TEMPORARY "tmp-"

/* Writes an entry of no more than `limit` bytes, in the place of any that is there. 0 and the file's size, or
 * errno: EFBIG if it is larger. */
int cbn_cache_store(const struct cbn_cache_folder *folder, const struct cbn_cache_key *key,
                    const struct cbn_blob *blob, uint64_t limit, uint64_t *out_size);

#endif
