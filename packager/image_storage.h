/* SPDX-License-Identifier: Apache-2.0 */
/* How an archive stores an image, for the subcommands that show it. */
#ifndef IMAGE_STORAGE_H
#define IMAGE_STORAGE_H

#include <cubinet/archive.h>

#include <stdbool.h>

struct image_storage {
    const char *encoding;       /* "raw", "zstd", or "zstd-base" */
    uint64_t decompressed_size; /* bytes that reading the image decompresses, its base's among them */
    /* The image that it was compressed after; the name belongs to the archive. */
    bool has_base;
    const char *base_module;
    cubinet_target base_target;
};

/* CUBINET_ERROR_DAMAGED if the image that it was compressed after does not exist. */
cubinet_status image_storage_read(const cubinet_archive *archive, const cubinet_image_info *image,
                                  struct image_storage *out_storage);

#endif
