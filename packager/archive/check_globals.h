/* SPDX-License-Identifier: Apache-2.0 */
/* What the index records of a module's variables against what its images have. */
#ifndef CHECK_GLOBALS_H
#define CHECK_GLOBALS_H

#include "archive/global_sizes.h"
#include "archive/listing.h"
#include "base/problems.h"
#include "image/contents.h"

/* The variable of that name that the module records; NULL if there is none. */
const cubinet_global_info *find_recorded_global(const struct listing_module *module, const char *name);

/* Adds to `sizes` what an image has of the variables that the module records. */
void check_globals(const struct listing_module *module, uint32_t image, const struct contents *contents,
                   struct global_sizes *sizes);

/* Compares the sizes and flags that the module records with those of all its images. */
void check_global_sizes(const struct listing_module *module, struct global_sizes *sizes,
                        struct problems *problems);

#endif
