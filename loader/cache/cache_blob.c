/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/cache/cache_blob.h"

#include <stdlib.h>

struct cbn_blob *cbn_blob_create(void *memory, const void *data, size_t size)
{
    struct cbn_blob *blob = malloc(sizeof(*blob));
    if (blob) {
        blob->data = data;
        blob->size = size;
        blob->memory = memory;
        atomic_init(&blob->users, 1);
    }
    return blob;
}

struct cbn_blob *cbn_blob_share(struct cbn_blob *blob)
{
    atomic_fetch_add_explicit(&blob->users, 1, memory_order_relaxed);
    return blob;
}

void cbn_blob_release(struct cbn_blob *blob)
{
    if (blob && atomic_fetch_sub_explicit(&blob->users, 1, memory_order_acq_rel) == 1) {
        free(blob->memory);
        free(blob);
    }
}
