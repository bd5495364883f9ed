/* SPDX-License-Identifier: Apache-2.0 */
/* Signing an index: docs/format.md, "Signatures". */
#ifndef INDEX_SIGNING_H
#define INDEX_SIGNING_H

#include "signing_key.h"

#include <stddef.h>

/* The digest by which a signature covers a block or an image. */
void index_seal(const void *data, size_t size, unsigned char out[CBN_SEAL_SIZE]);

/* Fills in the signatures of a root that is complete but for them and for its digest. Their
 * rows have the keys' numbers, in that order. */
cubinet_status index_sign(unsigned char *root, size_t size, const struct signing_key *keys, size_t count);

#endif
