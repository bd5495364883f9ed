/* SPDX-License-Identifier: Apache-2.0 */
/* An image against what the archive records of it. */
#ifndef CHECK_IMAGE_H
#define CHECK_IMAGE_H

#include "archive/check_globals.h"
#include "archive/listing.h"
#include "base/problems.h"

/* Reads a part of an image, or the image if it is the only one, which checks its digest and its zstd frame,
 * and compares what it says of itself with the record: target, toolkit, PTX version, kernels, what they need,
 * variables, symbols. Adds to `problems` what does not fit, and to `sizes` those of variables. False if it
 * can't be read. */
bool check_part(const cubinet_archive *archive, const struct listing_module *module, uint32_t image,
                uint32_t part, struct global_sizes *sizes, struct problems *problems);

#endif
