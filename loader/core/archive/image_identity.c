/* SPDX-License-Identifier: Apache-2.0 */
/* What tells an image from all others. The digests of an index don't: whoever makes an archive can make two
 * images that have the same. */
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/opened.h"

#include <stdlib.h>
#include <string.h>

enum { NOT_KNOWN, BEING_WRITTEN, KNOWN };

/* What a block remembers of one of its images. */
struct cbn_known_identity {
    atomic_int state;
    struct cbn_sha256 identity;
};

/* An image without its base: its stored bytes, and what they are read as. */
enum {
    PART_IS_SEALED = 0,
    PART_ENCODING = 8,
    PART_RAW_SIZE = 16,
    PART_STORED_SIZE = 24,
    PART_DIGEST = 32,
    PART_SIZE = PART_DIGEST + CBN_SHA256_SIZE,
};
_Static_assert((int)CBN_SEAL_SIZE == (int)CBN_SHA256_SIZE, "a part has room for either");

/* The seal of an archive that is trusted is signed, and so is as good as a digest of the bytes. */
static cubinet_status describe(const cubinet_archive *archive, uint32_t module,
                               const cubinet_image_info *info, uint32_t image, unsigned char part[PART_SIZE])
{
    const struct cbn_block *block = NULL;
    struct cbn_sha256 digest;
    cubinet_status status = cbn_archive_block(archive, module, &block);
    if (!status && archive->trust) {
        memcpy(digest.bytes, cbn_row(&block->seals, image), CBN_SEAL_SIZE);
    } else if (!status) {
        status = cbn_archive_digest_image(archive, module, image, &digest);
    }
    if (!status) {
        cbn_put64(part + PART_IS_SEALED, archive->trust != NULL);
        cbn_put64(part + PART_ENCODING, (uint64_t)info->encoding);
        cbn_put64(part + PART_RAW_SIZE, info->raw_size);
        cbn_put64(part + PART_STORED_SIZE, info->stored_size);
        memcpy(part + PART_DIGEST, digest.bytes, sizeof(digest.bytes));
    }
    return status;
}

/* An image that was made from a base is other bytes with another base. */
static cubinet_status make(const cubinet_archive *archive, uint32_t module, uint32_t image,
                           struct cbn_sha256 *out_identity)
{
    unsigned char parts[2][PART_SIZE] = {{0}};
    cubinet_image_info info = {.size = sizeof(info)};
    cubinet_image_info base = {.size = sizeof(base)};
    cubinet_status status = cubinet_archive_get_image(archive, module, image, &info);
    if (!status) {
        status = describe(archive, module, &info, image, parts[0]);
    }
    if (!status && info.encoding == CUBINET_ENCODING_ZSTD_BASE) {
        status = cubinet_archive_get_image(archive, info.base_module, info.base_image, &base);
        if (!status) {
            status = describe(archive, info.base_module, &base, info.base_image, parts[1]);
        }
    }
    if (!status) {
        *out_identity = cbn_sha256(parts, sizeof(parts));
    }
    return status;
}

/* Where an image's identity is remembered; NULL without memory. */
static struct cbn_known_identity *place_of(const struct cbn_block *block, uint32_t image)
{
    /* Programs see archives that never change; what is remembered of one is not part of that. */
    _Atomic(struct cbn_known_identity *) *kept = &((struct cbn_block *)block)->identities;
    struct cbn_known_identity *known = atomic_load_explicit(kept, memory_order_acquire);
    if (!known) {
        struct cbn_known_identity *fresh = calloc(block->images.count, sizeof(*fresh));
        if (fresh && atomic_compare_exchange_strong(kept, &known, fresh)) {
            known = fresh;
        } else {
            free(fresh);
        }
    }
    return known ? &known[image] : NULL;
}

static void remember(struct cbn_known_identity *place, const struct cbn_sha256 *identity)
{
    int state = NOT_KNOWN;
    if (place && atomic_compare_exchange_strong(&place->state, &state, BEING_WRITTEN)) {
        place->identity = *identity;
        atomic_store_explicit(&place->state, KNOWN, memory_order_release);
    }
}

cubinet_status cbn_archive_image_identity(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                          struct cbn_sha256 *out_identity)
{
    const struct cbn_block *block = NULL;
    cubinet_status status = cbn_archive_block(archive, module, &block);
    if (status) {
        return status;
    }
    struct cbn_known_identity *place = place_of(block, image);
    if (place && atomic_load_explicit(&place->state, memory_order_acquire) == KNOWN) {
        *out_identity = place->identity;
        return CUBINET_OK;
    }
    status = make(archive, module, image, out_identity);
    if (!status) {
        remember(place, out_identity);
    }
    return status;
}
