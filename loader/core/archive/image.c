/* SPDX-License-Identifier: Apache-2.0 */
/* Reading images and their parts: limit, digest, decompression, from a base where they have one. */
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/digest.h"
#include "loader/core/archive/opened.h"
#include "loader/core/support/error.h"

#include <stdio.h>
#include <stdlib.h>

/* One image, or a part of one, for the functions below. */
struct image {
    const cubinet_archive *archive;
    const struct cbn_block *block;
    uint32_t row; /* of the image table */
    cubinet_image_info info;
    struct cbn_taken stored; /* once they are taken */
};

enum { NAME_SIZE = CUBINET_TARGET_NAME_SIZE + 32 };

/* "sm_90", or "part 3 of sm_90". */
static const char *name_of(const struct image *image, char name[NAME_SIZE])
{
    char target[CUBINET_TARGET_NAME_SIZE];
    uint32_t number = cbn_block_row_image(image->block, image->row);
    cubinet_target_name(image->info.target, target);
    if (cbn_block_part_count(image->block, number) == 1) {
        snprintf(name, NAME_SIZE, "%s", target);
    } else {
        uint32_t part = image->row - cbn_block_first_row(image->block, number);
        snprintf(name, NAME_SIZE, "part %u of %s", (unsigned)part, target);
    }
    return name;
}

/* In place of a part's number: the image, which must not consist of parts. */
enum { WHOLE = -1 };

static cubinet_status find_image(const cubinet_archive *archive, uint32_t module, uint32_t number,
                                 int64_t part, struct image *out_image)
{
    struct image image = {.archive = archive};
    cubinet_status status = cbn_archive_block(archive, module, &image.block);
    if (!status) {
        status = cbn_block_find_row(image.block, number, part == WHOLE ? 0 : (uint32_t)part, &image.row);
    }
    if (status) {
        return status;
    }
    image.info = cbn_block_row(image.block, image.row);
    uint32_t count = cbn_block_part_count(image.block, number);
    if (part == WHOLE && count > 1) {
        char name[CUBINET_TARGET_NAME_SIZE];
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "%s of module '%s' consists of %u parts; read each with "
                         "cubinet_archive_read_part()",
                         cubinet_target_name(image.info.target, name), image.block->module, (unsigned)count);
    }
    *out_image = image;
    return CUBINET_OK;
}

/* What a callee said of an image that is damaged becomes "'kernels.cubinet' is damaged: sm_90 of module
 * 'segsum': …". Other failures pass. */
static cubinet_status refuse(const struct image *image, cubinet_status status)
{
    char name[NAME_SIZE];
    if (status == CUBINET_ERROR_DAMAGED) {
        cbn_error_context(status, "%s of module '%s'", name_of(image, name), image->block->module);
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
        .bytes = image->stored.bytes,
        .size = (size_t)image->info.stored_size,
        .raw_size = (size_t)image->info.raw_size,
    };
}

static cubinet_status too_large(const struct image *image, uint64_t limit)
{
    char name[NAME_SIZE];
    return cbn_error(CUBINET_ERROR_LIMIT,
                     "%s of module '%s' in %s has %llu bytes, and the limit is %llu; a program can set "
                     "another in cubinet_archive_options",
                     name_of(image, name), image->block->module, image->archive->name,
                     (unsigned long long)image->info.raw_size, (unsigned long long)limit);
}

/* What an image needs in memory, before it is taken. */
static cubinet_status check_size(const struct image *image)
{
    uint64_t limit = cbn_frame_limit(image->archive->max_image_size, image->info.stored_size);
    if (image->info.raw_size > limit || image->info.raw_size > SIZE_MAX) {
        return too_large(image, limit);
    }
    return CUBINET_OK;
}

/* Of the stored bytes. */
static cubinet_status check_frame(const struct image *image)
{
    if (image->info.encoding == CUBINET_ENCODING_RAW) {
        return CUBINET_OK;
    }
    struct cbn_frame frame = frame_of(image);
    uint64_t limit = cbn_frame_limit(image->archive->max_image_size, image->info.stored_size);
    return refuse(image, cbn_frame_check(&frame, limit));
}

static cubinet_status check_seal(const struct image *image)
{
    char name[NAME_SIZE];
    const unsigned char *seal = cbn_row(&image->block->seals, image->row);
    if (cbn_trust_matches(image->archive->trust, image->stored.bytes, (size_t)image->info.stored_size,
                          seal)) {
        return CUBINET_OK;
    }
    return cbn_error(CUBINET_ERROR_NOT_TRUSTED, "%s: %s of module '%s' was altered after it was signed",
                     image->archive->name, name_of(image, name), image->block->module);
}

static cubinet_status check_digest(const struct image *image)
{
    if (image->archive->trust) {
        return check_seal(image);
    }
    if (!image->archive->is_sound &&
        !cbn_digest_matches(image->stored.bytes, (size_t)image->info.stored_size, image->info.digest)) {
        return damaged(image, "its bytes do not have the digest that the index says");
    }
    return CUBINET_OK;
}

/* Whether what is checked has to be a copy: others could alter it in the archive's file after its digest was
 * compared with what is signed. */
static bool is_held(const cubinet_archive *archive)
{
    return archive->trust && cbn_storage_is_file(&archive->storage);
}

/* Takes an image's stored bytes, and checks them as far as that goes without its base. The caller frees what
 * is owned, on failure too. */
static cubinet_status take(struct image *image)
{
    const cubinet_archive *archive = image->archive;
    cubinet_status status =
        cbn_storage_take(&archive->storage, image->info.offset, (size_t)image->info.stored_size,
                         is_held(archive), &image->stored);
    if (status) {
        return cbn_archive_refuse(archive, status);
    }
    status = check_digest(image);
    return status ? status : check_frame(image);
}

/* An archive's contexts change, the archive doesn't. */
static struct cbn_unpack_spare *spare_of(const struct image *image)
{
    return &((cubinet_archive *)image->archive)->spare;
}

/* base: what the image was made from, raw */
static cubinet_status unpack_after(const struct image *image, const struct cbn_image_bytes *base,
                                   void *buffer)
{
    struct cbn_frame frame = frame_of(image);
    frame.prefix = base->data;
    frame.prefix_size = base->size;
    return refuse(image, cbn_frame_unpack(spare_of(image), &frame, buffer));
}

/* Finds the base of an image, and takes its stored bytes. The caller frees what is owned, on failure too. */
static cubinet_status take_base(const struct image *image, struct image *out_base)
{
    cubinet_status status = find_image(image->archive, image->info.base_module, image->info.base_image,
                                       image->info.base_part, out_base);
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
    return status ? status : take(out_base);
}

static cubinet_status unpack_base(const struct image *found, struct cbn_image_bytes *base)
{
    const struct cbn_image_bytes nothing = {0};
    base->owned = malloc(base->size);
    base->data = base->owned;
    return base->owned ? unpack_after(found, &nothing, base->owned) : cbn_error_memory();
}

/* Reads what an image was made from; nothing of an image that has no base. The caller frees `owned`. */
static cubinet_status read_base(const struct image *image, struct cbn_image_bytes *out_base)
{
    struct image found = {0};
    *out_base = (struct cbn_image_bytes){0};
    if (image->info.encoding != CUBINET_ENCODING_ZSTD_BASE) {
        return CUBINET_OK;
    }
    cubinet_status status = take_base(image, &found);
    struct cbn_image_bytes base = {.data = found.stored.bytes, .size = (size_t)found.info.raw_size};
    if (!status && found.info.encoding != CUBINET_ENCODING_RAW) {
        status = unpack_base(&found, &base);
    } else if (!status) {
        base.owned = found.stored.owned;
        found.stored.owned = NULL;
    }
    free(found.stored.owned);
    if (status) {
        free(base.owned);
        return status;
    }
    *out_base = base;
    return CUBINET_OK;
}

/* Decompresses an image whose stored bytes were taken. */
static cubinet_status unpack(const struct image *image, void *buffer)
{
    struct cbn_image_bytes base;
    cubinet_status status = read_base(image, &base);
    if (status) {
        return status;
    }
    status = unpack_after(image, &base, buffer);
    free(base.owned);
    return status;
}

/* Reads an image that is stored as it is into a buffer. */
static cubinet_status read_raw(struct image *image, void *buffer)
{
    const cubinet_archive *archive = image->archive;
    cubinet_status status =
        cbn_storage_read(&archive->storage, image->info.offset, (size_t)image->info.raw_size, buffer);
    image->stored = (struct cbn_taken){.bytes = buffer};
    return status ? cbn_archive_refuse(archive, status) : check_digest(image);
}

/* Finds an image whose size is within the limit. */
static cubinet_status find_bounded(const cubinet_archive *archive, uint32_t module, uint32_t number,
                                   int64_t part, struct image *out_image)
{
    cubinet_status status = find_image(archive, module, number, part, out_image);
    return status ? status : check_size(out_image);
}

static cubinet_status image_bytes(const cubinet_archive *archive, uint32_t module, uint32_t number,
                                  int64_t part, const void **out_bytes)
{
    struct image image;
    const unsigned char *bytes = NULL;
    cubinet_status status = find_bounded(archive, module, number, part, &image);
    if (!status) {
        status = cbn_archive_refuse(archive, cbn_storage_map(&archive->storage, &bytes));
    }
    if (status) {
        return status;
    }
    image.stored.bytes = bytes + image.info.offset;
    status = check_digest(&image);
    if (!status) {
        status = check_frame(&image);
    }
    if (!status) {
        *out_bytes = image.stored.bytes;
    }
    return status;
}

cubinet_status cbn_archive_image_bytes(const cubinet_archive *archive, uint32_t module, uint32_t number,
                                       const void **out_bytes)
{
    return image_bytes(archive, module, number, WHOLE, out_bytes);
}

cubinet_status cbn_archive_part_bytes(const cubinet_archive *archive, uint32_t module, uint32_t number,
                                      uint32_t part, const void **out_bytes)
{
    return image_bytes(archive, module, number, part, out_bytes);
}

cubinet_status cbn_archive_lend_part(const cubinet_archive *archive, uint32_t module, uint32_t number,
                                     uint32_t part, const void **out_bytes)
{
    struct image image;
    cubinet_status status = find_image(archive, module, number, part, &image);
    if (status) {
        return status;
    }
    bool stays = cbn_storage_is_file(&archive->storage) || archive->storage.kept;
    if (!stays || is_held(archive) || image.info.encoding != CUBINET_ENCODING_RAW) {
        *out_bytes = NULL;
        return CUBINET_OK;
    }
    return image_bytes(archive, module, number, part, out_bytes);
}

/* Reads an image into memory of its own, with a NUL after it. */
static cubinet_status copy_image(struct image *image, struct cbn_image_bytes *out_bytes)
{
    bool is_raw = image->info.encoding == CUBINET_ENCODING_RAW;
    size_t size = (size_t)image->info.raw_size;
    cubinet_status status = is_raw ? CUBINET_OK : take(image);
    if (status) {
        return status;
    }
    unsigned char *copy = size < SIZE_MAX ? malloc(size + 1) : NULL;
    if (!copy) {
        return cbn_error_memory();
    }
    status = is_raw ? read_raw(image, copy) : unpack(image, copy);
    if (status) {
        free(copy);
        return status;
    }
    copy[size] = '\0';
    *out_bytes = (struct cbn_image_bytes){.data = copy, .size = size, .owned = copy};
    return CUBINET_OK;
}

/* An image that is stored as it is, as its storage gives it. */
static cubinet_status take_raw(struct image *image, struct cbn_image_bytes *out_bytes)
{
    cubinet_status status = take(image);
    if (!status) {
        *out_bytes = (struct cbn_image_bytes){
            .data = image->stored.bytes, .size = (size_t)image->info.raw_size, .owned = image->stored.owned};
        image->stored.owned = NULL;
    }
    return status;
}

static cubinet_status take_bytes(const cubinet_archive *archive, uint32_t module, uint32_t number,
                                 int64_t part, bool as_copy, struct cbn_image_bytes *out_bytes)
{
    struct image image;
    cubinet_status status = find_bounded(archive, module, number, part, &image);
    if (status) {
        return status;
    }
    bool is_raw = image.info.encoding == CUBINET_ENCODING_RAW;
    status = is_raw && !as_copy ? take_raw(&image, out_bytes) : copy_image(&image, out_bytes);
    free(image.stored.owned);
    return status;
}

cubinet_status cbn_archive_take_image(const cubinet_archive *archive, uint32_t module, uint32_t number,
                                      bool as_copy, struct cbn_image_bytes *out_bytes)
{
    return take_bytes(archive, module, number, WHOLE, as_copy, out_bytes);
}

cubinet_status cbn_archive_take_part(const cubinet_archive *archive, uint32_t module, uint32_t number,
                                     uint32_t part, bool as_copy, struct cbn_image_bytes *out_bytes)
{
    return take_bytes(archive, module, number, part, as_copy, out_bytes);
}

cubinet_status cbn_archive_digest_part(const cubinet_archive *archive, uint32_t module, uint32_t number,
                                       uint32_t part, struct cbn_sha256 *out_digest)
{
    struct image image;
    cubinet_status status = find_image(archive, module, number, part, &image);
    if (status) {
        return status;
    }
    status = take(&image);
    if (!status) {
        *out_digest = cbn_sha256(image.stored.bytes, (size_t)image.info.stored_size);
    }
    free(image.stored.owned);
    return status;
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

static cubinet_status read_into(const cubinet_archive *archive, uint32_t module, uint32_t number,
                                int64_t part, void *buffer, size_t capacity)
{
    struct image image;
    cubinet_status status = find_bounded(archive, module, number, part, &image);
    if (!status) {
        status = check_buffer(&image, buffer, capacity);
    }
    if (status) {
        return status;
    }
    if (image.info.encoding == CUBINET_ENCODING_RAW) {
        return read_raw(&image, buffer);
    }
    status = take(&image);
    if (!status) {
        status = unpack(&image, buffer);
    }
    free(image.stored.owned);
    return status;
}

cubinet_status cubinet_archive_read_image(const cubinet_archive *archive, uint32_t module, uint32_t number,
                                          void *buffer, size_t capacity)
{
    return read_into(archive, module, number, WHOLE, buffer, capacity);
}

cubinet_status cubinet_archive_read_part(const cubinet_archive *archive, uint32_t module, uint32_t number,
                                         uint32_t part, void *buffer, size_t capacity)
{
    return read_into(archive, module, number, part, buffer, capacity);
}
