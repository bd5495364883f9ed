/* SPDX-License-Identifier: Apache-2.0 */
/* Reading images: limit, digest, decompression, from a base where they have one. */
#include "cbn_archive.h"
#include "digest.h"
#include "error.h"
#include "opened.h"

#include <stdlib.h>
#include <string.h>

/* One image, for the functions below. */
struct image {
    const cubinet_archive *archive;
    const struct cbn_block *block;
    uint32_t number; /* in the module */
    cubinet_image_info info;
    const unsigned char *bytes; /* stored */
    unsigned char *held;        /* a copy that they are; NULL: they are the archive's */
};

/* The image that another was made from, raw. */
struct base {
    const void *bytes; /* NULL: there is none */
    size_t size;
    void *owned; /* freed with it; NULL if the bytes are the archive's */
};

static cubinet_status find_image(const cubinet_archive *archive, uint32_t module, uint32_t number,
                                 struct image *out_image)
{
    struct image image = {.archive = archive, .number = number, .info = {.size = sizeof(image.info)}};
    cubinet_status status = cubinet_archive_get_image(archive, module, number, &image.info);
    if (!status) {
        status = cbn_archive_block(archive, module, &image.block);
    }
    if (status) {
        return status;
    }
    image.bytes = archive->bytes + image.info.offset;
    *out_image = image;
    return CUBINET_OK;
}

/* What a callee said of an image that is damaged becomes "'kernels.cubinet' is damaged: sm_90 of module
 * 'segsum': …". Other failures pass. */
static cubinet_status refuse(const struct image *image, cubinet_status status)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    if (status == CUBINET_ERROR_DAMAGED) {
        cbn_error_context(status, "%s of module '%s'", cubinet_target_name(image->info.target, target),
                          image->block->module);
    }
    return cbn_archive_refuse(image->archive, status);
}

static cubinet_status damaged(const struct image *image, const char *what)
{
    return refuse(image, cbn_error(CUBINET_ERROR_DAMAGED, "%s", what));
}

static struct cbn_frame frame_of(const struct image *image)
{
    return (struct cbn_frame){
        .bytes = image->bytes,
        .size = (size_t)image->info.stored_size,
        .raw_size = (size_t)image->info.raw_size,
    };
}

static cubinet_status too_large(const struct image *image, uint64_t limit)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    return cbn_error(CUBINET_ERROR_LIMIT,
                     "%s of module '%s' in %s has %llu bytes, and the limit is %llu; a program can set "
                     "another in cubinet_archive_options",
                     cubinet_target_name(image->info.target, target), image->block->module,
                     image->archive->name, (unsigned long long)image->info.raw_size,
                     (unsigned long long)limit);
}

static cubinet_status check_size(const struct image *image)
{
    uint64_t limit = cbn_frame_limit(image->archive->max_image_size, image->info.stored_size);
    if (image->info.raw_size > limit || image->info.raw_size > SIZE_MAX) {
        return too_large(image, limit);
    }
    if (image->info.encoding == CUBINET_ENCODING_RAW) {
        return CUBINET_OK;
    }
    struct cbn_frame frame = frame_of(image);
    return refuse(image, cbn_frame_check(&frame, limit));
}

/* Whoever may write to the archive's file must not be able to alter what was checked against a signature, so
 * that is a copy, which the caller frees. */
static cubinet_status hold(struct image *image)
{
    if (!cbn_archive_is_held(image->archive)) {
        return CUBINET_OK;
    }
    image->held = malloc((size_t)image->info.stored_size);
    if (!image->held) {
        return cbn_error_memory();
    }
    image->bytes = memcpy(image->held, image->bytes, (size_t)image->info.stored_size);
    return CUBINET_OK;
}

static cubinet_status check_seal(const struct image *image)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    const unsigned char *seal = cbn_row(&image->block->seals, image->number);
    if (cbn_trust_matches(image->archive->trust, image->bytes, (size_t)image->info.stored_size, seal)) {
        return CUBINET_OK;
    }
    return cbn_error(CUBINET_ERROR_NOT_TRUSTED, "%s: %s of module '%s' was altered after it was signed",
                     image->archive->name, cubinet_target_name(image->info.target, target),
                     image->block->module);
}

static cubinet_status check_digest(const struct image *image)
{
    if (image->archive->trust) {
        return check_seal(image);
    }
    if (!image->archive->is_sound &&
        !cbn_digest_matches(image->bytes, (size_t)image->info.stored_size, image->info.digest)) {
        return damaged(image, "its bytes do not have the digest that the index says");
    }
    return CUBINET_OK;
}

/* An archive's contexts change, the archive doesn't. */
static struct cbn_unpack_spare *spare_of(const struct image *image)
{
    return &((cubinet_archive *)image->archive)->spare;
}

static cubinet_status unpack(const struct image *image, const struct base *base, void *buffer)
{
    if (image->info.encoding == CUBINET_ENCODING_RAW) {
        memcpy(buffer, image->bytes, (size_t)image->info.raw_size);
        return CUBINET_OK;
    }
    struct cbn_frame frame = frame_of(image);
    frame.prefix = base->bytes;
    frame.prefix_size = base->size;
    return refuse(image, cbn_frame_unpack(spare_of(image), &frame, buffer));
}

/* Finds the base of an image, with its size and digest checked. The caller frees what is held, on failure
 * too.
 */
static cubinet_status find_base(const struct image *image, struct image *out_base)
{
    cubinet_status status =
        find_image(image->archive, image->info.base_module, image->info.base_image, out_base);
    if (status == CUBINET_ERROR_NOT_FOUND) {
        return damaged(image, "it was made from an image that is not there");
    }
    if (status) {
        return status;
    }
    if (out_base->info.encoding == CUBINET_ENCODING_ZSTD_BASE) {
        return damaged(image, "it was made from an image that was made from another itself");
    }
    status = check_size(out_base);
    if (!status) {
        status = hold(out_base);
    }
    return status ? status : check_digest(out_base);
}

static cubinet_status unpack_base(const struct image *found, struct base *base)
{
    base->owned = malloc(base->size);
    base->bytes = base->owned;
    return base->owned ? unpack(found, &(struct base){0}, base->owned) : cbn_error_memory();
}

/* Reads what an image was made from; nothing of an image that has no base. The caller frees `owned`. */
static cubinet_status read_base(const struct image *image, struct base *out_base)
{
    struct image found = {0};
    *out_base = (struct base){0};
    if (image->info.encoding != CUBINET_ENCODING_ZSTD_BASE) {
        return CUBINET_OK;
    }
    cubinet_status status = find_base(image, &found);
    struct base base = {.bytes = found.bytes, .size = (size_t)found.info.raw_size};
    if (!status && found.info.encoding != CUBINET_ENCODING_RAW) {
        status = unpack_base(&found, &base);
    } else if (!status) {
        base.owned = found.held;
        found.held = NULL;
    }
    free(found.held);
    if (status) {
        free(base.owned);
        return status;
    }
    *out_base = base;
    return CUBINET_OK;
}

bool cbn_archive_is_held(const cubinet_archive *archive)
{
    return archive->trust && archive->is_mapped;
}

cubinet_status cbn_archive_check_image_size(const cubinet_archive *archive, uint32_t module, uint32_t number)
{
    struct image image;
    cubinet_status status = find_image(archive, module, number, &image);
    return status ? status : check_size(&image);
}

cubinet_status cbn_archive_image_bytes(const cubinet_archive *archive, uint32_t module, uint32_t number,
                                       const void **out_bytes)
{
    struct image image;
    cubinet_status status = find_image(archive, module, number, &image);
    if (!status) {
        status = check_size(&image);
    }
    if (!status) {
        status = check_digest(&image);
    }
    if (!status) {
        *out_bytes = image.bytes;
    }
    return status;
}

cubinet_status cbn_archive_lend_image(const cubinet_archive *archive, uint32_t module, uint32_t number,
                                      const void **out_bytes)
{
    struct image image;
    cubinet_status status = find_image(archive, module, number, &image);
    if (status) {
        return status;
    }
    if (!archive->is_mapped || cbn_archive_is_held(archive) || image.info.encoding != CUBINET_ENCODING_RAW) {
        *out_bytes = NULL;
        return CUBINET_OK;
    }
    return cbn_archive_image_bytes(archive, module, number, out_bytes);
}

static cubinet_status check_buffer(const struct image *image, const void *buffer, size_t capacity)
{
    if (!buffer || capacity < image->info.raw_size) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "the image has %llu bytes, the buffer for it has %zu",
                         (unsigned long long)image->info.raw_size, buffer ? capacity : 0);
    }
    return CUBINET_OK;
}

/* Reads an image that was found, whose size fits, into memory that is large enough for it. */
static cubinet_status read_found(struct image *image, void *buffer)
{
    struct base base = {0};
    cubinet_status status = hold(image);
    if (!status) {
        status = check_digest(image);
    }
    if (!status) {
        status = read_base(image, &base);
    }
    if (!status) {
        status = unpack(image, &base, buffer);
    }
    free(base.owned);
    free(image->held);
    return status;
}

cubinet_status cubinet_archive_read_image(const cubinet_archive *archive, uint32_t module, uint32_t number,
                                          void *buffer, size_t capacity)
{
    struct image image;
    cubinet_status status = find_image(archive, module, number, &image);
    if (!status) {
        status = check_size(&image);
    }
    if (!status) {
        status = check_buffer(&image, buffer, capacity);
    }
    return status ? status : read_found(&image, buffer);
}
