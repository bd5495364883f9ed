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
    DESCRIBED_IS_SEALED = 0,
    DESCRIBED_ENCODING = 8,
    DESCRIBED_RAW_SIZE = 16,
    DESCRIBED_STORED_SIZE = 24,
    DESCRIBED_DIGEST = 32,
    DESCRIPTION_SIZE = DESCRIBED_DIGEST + CBN_SHA256_SIZE,
};
_Static_assert((int)CBN_SEAL_SIZE == (int)CBN_SHA256_SIZE, "a description has room for either");

struct place {
    uint32_t module;
    uint32_t image;
    uint32_t part;
};

/* The seal of an archive that is trusted is signed, and so is as good as a digest of the bytes. */
static cubinet_status describe(const cubinet_archive *archive, struct place place,
                               unsigned char out[DESCRIPTION_SIZE], cubinet_image_info *out_info)
{
    const struct cbn_block *block = NULL;
    uint32_t row = 0;
    struct cbn_sha256 digest;
    cubinet_status status = cbn_archive_block(archive, place.module, &block);
    if (!status) {
        status = cbn_block_find_row(block, place.image, place.part, &row);
    }
    if (!status && archive->trust) {
        memcpy(digest.bytes, cbn_row(&block->seals, row), CBN_SEAL_SIZE);
    } else if (!status) {
        status = cbn_archive_digest_part(archive, place.module, place.image, place.part, &digest);
    }
    if (!status) {
        *out_info = cbn_block_row(block, row);
        cbn_put64(out + DESCRIBED_IS_SEALED, archive->trust != NULL);
        cbn_put64(out + DESCRIBED_ENCODING, (uint64_t)out_info->encoding);
        cbn_put64(out + DESCRIBED_RAW_SIZE, out_info->raw_size);
        cbn_put64(out + DESCRIBED_STORED_SIZE, out_info->stored_size);
        memcpy(out + DESCRIBED_DIGEST, digest.bytes, sizeof(digest.bytes));
    }
    return status;
}

/* An image that was made from a base is other bytes with another base. */
static cubinet_status make(const cubinet_archive *archive, uint32_t module, uint32_t image,
                           struct cbn_sha256 *out_identity)
{
    unsigned char described[2][DESCRIPTION_SIZE] = {{0}};
    cubinet_image_info info = {.encoding = CUBINET_ENCODING_RAW};
    cubinet_status status = describe(archive, (struct place){module, image, 0}, described[0], &info);
    if (!status && info.encoding == CUBINET_ENCODING_ZSTD_BASE) {
        struct place base = {info.base_module, info.base_image, info.base_part};
        status = describe(archive, base, described[1], &info);
    }
    if (!status) {
        *out_identity = cbn_sha256(described, sizeof(described));
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
        struct cbn_known_identity *fresh = calloc(cbn_block_image_count(block), sizeof(*fresh));
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
