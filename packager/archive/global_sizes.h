/* SPDX-License-Identifier: Apache-2.0 */
/* What an archive records of a variable: the largest size that an image of the module has, and every kind of
 * memory that one has it in. */
#ifndef GLOBAL_SIZES_H
#define GLOBAL_SIZES_H

#include <cubinet/archive.h>

#include <stdbool.h>
#include <stddef.h>

/* A variable that was found in an image. */
struct global_sighting {
    uint32_t global; /* of the module */
    int number;      /* of the image's target */
    uint64_t bytes;  /* 0: the image does not tell */
    uint32_t flags;  /* CUBINET_GLOBAL_CONSTANT and so on */
};

/* Those of one module. Zero-initialise to start. */
struct global_sizes {
    struct global_sighting *items;
    size_t count;
    bool failed; /* memory was out */
};

void global_sizes_add(struct global_sizes *sizes, struct global_sighting sighting);
void global_sizes_free(struct global_sizes *sizes);

/* Before the first question. */
void global_sizes_sort(struct global_sizes *sizes);

/* What is recorded of a variable, once for all images. */
struct global_facts {
    uint64_t bytes; /* 0: unknown */
    uint32_t flags;
};

/* The largest size of a variable in a module of these images, or the recorded one if none was found, and all
 * flags that were found. LTO-IR can't be read. It has what other images for the same compute capability have;
 * what these lack may be larger in it, or have more flags, so that more that is recorded stays. */
struct global_facts global_sizes_settle(const struct global_sizes *sizes, uint32_t global,
                                        struct global_facts recorded, const cubinet_image_info *images,
                                        size_t image_count);

#endif
