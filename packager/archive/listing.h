/* SPDX-License-Identifier: Apache-2.0 */
/* What an archive says of a module, read in one go: for the subcommands that show it. */
#ifndef LISTING_H
#define LISTING_H

#include "loader/core/support/text_list.h"

#include <cubinet/archive.h>

#include <stdbool.h>

/* Everything in here belongs to the archive, but for the arrays. */
struct listing_module {
    uint32_t number; /* in the archive */
    const char *name;
    cubinet_image_info *images;
    uint32_t image_count;
    cubinet_kernel_info *kernels;
    uint32_t kernel_count;
    bool *is_held; /* for each kernel, whether an image has it; NULL: nothing was left out of the archive */
    cubinet_global_info *globals;
    uint32_t global_count;
    const char **kernel_names; /* as people read them: expressions; demangled where there are none */
    const char **global_names;
    struct cbn_text_list demangled; /* those of them that the archive does not have */
};

struct listing {
    cubinet_archive_info archive;
    struct listing_module *modules;
    uint32_t module_count;
};

/* Reads every module, or the one of that name if it is not NULL (CUBINET_ERROR_NOT_FOUND names the nearest).
 * The listing is used while the archive is open, and freed by the caller. */
cubinet_status listing_read(const cubinet_archive *archive, const char *module, struct listing *out_listing);
void listing_free(struct listing *listing);

/* How many kernels of its images a program can tell apart: those of one expression, of which each image has
 * its own, are one. */
uint32_t listing_kernels(const struct listing_module *module);

/* The module of that name; NULL if there is none. */
const struct listing_module *listing_find_module(const struct listing *listing, const char *name);

/* Finds a kernel of the module by its lowered name. False if there is none. */
bool listing_find_kernel(const struct listing_module *module, const char *lowered, uint32_t *out_kernel);

const char *listing_kernel_name(const struct listing_module *module, const cubinet_kernel_info *kernel);

/* What an image records of a kernel; *out_held is false, and no error, if it does not hold the kernel. */
cubinet_status listing_resources(const cubinet_archive *archive, const struct listing_module *module,
                                 uint32_t image, uint32_t kernel, cubinet_kernel_resources *out_resources,
                                 bool *out_held);

/* Stored bytes of all images, and how many they are decompressed. */
uint64_t listing_stored_bytes(const struct listing_module *module);
uint64_t listing_raw_bytes(const struct listing_module *module);

/* "cubin", "ptx", "ltoir". */
const char *listing_kind(cubinet_image_kind kind);

/* The number of the module's image for a target; CUBINET_ERROR_NOT_FOUND, which lists those that there are.
 */
cubinet_status listing_find_image(const struct listing_module *module, const char *target,
                                  uint32_t *out_image);

/* The kind of that name. */
cubinet_status listing_find_kind(const char *name, cubinet_image_kind *out_kind);

/* For messages: "module 'giant', sm_90", or of one of several parts "module 'giant', part 3 of sm_90". */
enum { LISTING_PART_TEXT_SIZE = 96 + CUBINET_TARGET_NAME_SIZE };
const char *listing_part_text(const struct listing_module *module, uint32_t image, uint32_t part,
                              char text[LISTING_PART_TEXT_SIZE]);

/* The parts of all images, of which one that does not consist of parts is one. */
size_t listing_part_count(const struct listing_module *module);

/* How the archive stores an image. */
struct image_storage {
    const char *encoding;       /* "raw", "zstd", or "zstd-base" */
    uint64_t decompressed_size; /* bytes that reading it decompresses, its base's among them */
    /* The image that it was compressed after; the name belongs to the archive. */
    bool has_base;
    const char *base_module;
    cubinet_target base_target;
    bool base_is_part;
    uint32_t base_part;
};

/* Of a part of an image, or of an image that does not consist of parts as its part 0. CUBINET_ERROR_DAMAGED
 * if the image that it was compressed after does not exist. */
cubinet_status image_storage_read(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                  uint32_t part, struct image_storage *out_storage);

#endif
