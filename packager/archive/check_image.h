/* SPDX-License-Identifier: Apache-2.0 */
/* An image against what the archive records of it. */
#ifndef CHECK_IMAGE_H
#define CHECK_IMAGE_H

#include "archive/check_globals.h"
#include "archive/listing.h"
#include "base/problems.h"

/* Reads an image, of one of parts each of them, which checks its digest and its zstd frame, and compares what
 * it says of itself with the record: target, toolkit, PTX version, kernels, what they need, variables,
 * symbols. Adds to `problems` what does not fit, and to `sizes` those of variables. False if it can't be
 * read. */
bool check_image(const cubinet_archive *archive, const struct listing_module *module, uint32_t image,
                 struct global_sizes *sizes, struct problems *problems);

#endif
