/* SPDX-License-Identifier: Apache-2.0 */
/* What holds of a kernel in all images of its module: for programs, which don't know before they run which
 * image they get. */
#ifndef HEADER_BOUNDS_H
#define HEADER_BOUNDS_H

#include "archive/listing.h"

#include <stdbool.h>
#include <stdint.h>

/* Three numbers that some images give. */
struct header_shape {
    uint32_t size[3]; /* all 0: no image gives them */
    bool differs;     /* two images give different ones */
};

struct header_bounds {
    uint32_t held; /* images that have the kernel */
    /* Of the images that tell: PTX and cubins. */
    uint32_t param_count; /* CUBINET_UNKNOWN: none tells */
    uint32_t param_bytes;
    const cubinet_param *params; /* belong to the archive */
    bool params_differ;
    uint32_t max_threads;         /* the least; CUBINET_UNKNOWN: none tells */
    uint32_t static_shared_bytes; /* the largest; CUBINET_UNKNOWN: none tells */
    struct header_shape required_block;
    struct header_shape required_cluster;
};

cubinet_status header_bounds_read(const cubinet_archive *archive, const struct listing_module *module,
                                  uint32_t kernel, struct header_bounds *out_bounds);

#endif
