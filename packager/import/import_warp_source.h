/* SPDX-License-Identifier: Apache-2.0 */
/* What the CUDA source that Warp generates says of a kernel's launch. */
#ifndef IMPORT_WARP_SOURCE_H
#define IMPORT_WARP_SOURCE_H

#include "image/launch_record.h"

/* The block that it was generated for; 0: it does not say. */
uint32_t import_warp_block(const char *source);

/* Dimensions of the launch bounds that the kernel takes first, launch_bounds_t<N> of releases since 1.19; 0:
 * the source does not have the kernel, or an older release's bounds, which are of another layout. */
uint32_t import_warp_dimensions(const char *source, const char *kernel);

/* Adds a name for each of the kernel's parameters; none if the source does not have the kernel. Types that C
 * lacks are left empty, but for the launch bounds', which <cubinet/arguments.h> has. */
cubinet_status import_warp_names(const char *source, const char *kernel, struct launch_record *record);

#endif
