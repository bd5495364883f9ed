/* SPDX-License-Identifier: Apache-2.0 */
/* Reading images: limit, digest, decompression. */
#include "cbn_archive.h"
#include "digest.h"
#include "error.h"
#include "opened.h"

#include <string.h>
#include <zstd.h>

#define GIB ((uint64_t)1 << 30)

/* More than zstd saves on code, less than a frame made to exhaust memory asks for. */
enum { DEFAULT_RATIO = 64 };

/* One image, for the functions below. */
struct image {
    const cubinet_archive *archive;
    const struct cbn_block *block;
    cubinet_image_info info;
    const unsigned char *bytes; /* stored */
};

static cubinet_status find_image(const cubinet_archive *archive, uint32_t module, uint32_t number,
                                 struct image *out_image)
{
    struct image image = {.archive = archive, .info = {.size = sizeof(image.info)}};
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

/* The thread's message becomes "'kernels.cubinet' is damaged: sm_90 of module 'segsum': …". */
static cubinet_status damaged(const struct image *image, const char *what)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    cbn_error(CUBINET_ERROR_DAMAGED, "%s of module '%s': %s", cubinet_target_name(image->info.target, target),
              image->block->module, what);
    return cbn_archive_refuse(image->archive, CUBINET_ERROR_DAMAGED);
}

static uint64_t limit(const struct image *image)
{
    if (image->archive->max_image_size > 0) {
        return image->archive->max_image_size;
    }
    uint64_t stored = image->info.stored_size;
    uint64_t by_ratio = stored > UINT64_MAX / DEFAULT_RATIO ? UINT64_MAX : stored * DEFAULT_RATIO;
    return by_ratio > GIB ? by_ratio : GIB;
}

static cubinet_status check_size(const struct image *image)
{
    uint64_t greatest = limit(image);
    if (image->info.raw_size > greatest || image->info.raw_size > SIZE_MAX) {
        char target[CUBINET_TARGET_NAME_SIZE];
        return cbn_error(CUBINET_ERROR_LIMIT,
                         "%s of module '%s' in %s has %llu bytes, and the limit is %llu; a program can set "
                         "another in cubinet_archive_options",
                         cubinet_target_name(image->info.target, target), image->block->module,
                         image->archive->name, (unsigned long long)image->info.raw_size,
                         (unsigned long long)greatest);
    }
    if (image->info.encoding == CUBINET_ENCODING_ZSTD &&
        ZSTD_getFrameContentSize(image->bytes, (size_t)image->info.stored_size) != image->info.raw_size) {
        return damaged(image, "its zstd frame has another size than the index says");
    }
    return CUBINET_OK;
}

static cubinet_status check_digest(const struct image *image)
{
    if (!image->archive->is_sound &&
        !cbn_digest_matches(image->bytes, (size_t)image->info.stored_size, image->info.digest)) {
        return damaged(image, "its bytes do not have the digest that the index says");
    }
    return CUBINET_OK;
}

static cubinet_status decompress(const struct image *image, void *buffer)
{
    size_t stored = (size_t)image->info.stored_size;
    size_t raw = (size_t)image->info.raw_size;
    if (ZSTD_findFrameCompressedSize(image->bytes, stored) != stored) {
        return damaged(image, "it is not one zstd frame");
    }
    size_t size = ZSTD_decompress(buffer, raw, image->bytes, stored);
    if (ZSTD_isError(size)) {
        return damaged(image, ZSTD_getErrorName(size));
    }
    return size == raw ? CUBINET_OK : damaged(image, "its zstd frame ends early");
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

static cubinet_status check_buffer(const struct image *image, const void *buffer, size_t capacity)
{
    if (!buffer || capacity < image->info.raw_size) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "the image has %llu bytes, the buffer for it has %zu",
                         (unsigned long long)image->info.raw_size, buffer ? capacity : 0);
    }
    return CUBINET_OK;
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
    if (!status) {
        status = check_digest(&image);
    }
    if (status) {
        return status;
    }
    if (image.info.encoding == CUBINET_ENCODING_RAW) {
        memcpy(buffer, image.bytes, (size_t)image.info.raw_size);
        return CUBINET_OK;
    }
    return decompress(&image, buffer);
}
