/* SPDX-License-Identifier: Apache-2.0 */
/* The sizes and flags of a module's variables after some of its images are taken away. */
#ifndef KEPT_SIZES_H
#define KEPT_SIZES_H

#include "archive/global_sizes.h"

struct kept_sizes {
    cubinet_image_info *images; /* those that are kept */
    size_t image_count;
    struct global_sizes sizes;
};

/* Reads the images for whose number `kept` is true. One that can't be read tells nothing. The caller frees
 * the result. */
cubinet_status kept_sizes_read(const cubinet_archive *archive, uint32_t module, const bool *kept,
                               struct kept_sizes *out_sizes);
void kept_sizes_free(struct kept_sizes *sizes);

/* What is to be recorded of a variable then. */
struct global_facts kept_sizes_of(const struct kept_sizes *sizes, uint32_t global,
                                  struct global_facts recorded);

#endif
