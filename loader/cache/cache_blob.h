/* SPDX-License-Identifier: Apache-2.0 */
/* What a cache holds under a key: bytes that never change and that everyone who uses them shares. */
#ifndef CBN_CACHE_BLOB_H
#define CBN_CACHE_BLOB_H

#include <stdatomic.h>
#include <stddef.h>

struct cbn_blob {
    const unsigned char *data; /* aligned to 16 bytes */
    size_t size;
    atomic_size_t users;
    void *memory; /* that data lies in; freed with the blob */
};

/* A blob with one user, of `size` bytes at `data`, which lies in `memory`; NULL if there is no memory for it.
 * It takes `memory` only if it succeeds. */
struct cbn_blob *cbn_blob_create(void *memory, const void *data, size_t size);

struct cbn_blob *cbn_blob_share(struct cbn_blob *blob); /* one user more; returns `blob` */
void cbn_blob_release(struct cbn_blob *blob);           /* one user less; NULL is allowed */

#endif
