/* SPDX-License-Identifier: Apache-2.0 */
/* What the CUDA source that Warp generates says of a kernel's launch. */
#ifndef IMPORT_WARP_SOURCE_H
#define IMPORT_WARP_SOURCE_H

#include "image/launch_record.h"

struct warp_kernel {
    const char *name; /* followed by a '(' and the parameters */
    size_t size;
};

/* A source with its kernels by name; the text has to outlive it. */
struct warp_source {
    uint32_t block; /* that it was generated for; 0: it does not say */
    struct warp_kernel *kernels;
    size_t count;
};

/* CUBINET_ERROR_OUT_OF_MEMORY alone; the caller frees it after a failure, too. */
cubinet_status warp_source_read(const char *text, struct warp_source *out);

void warp_source_free(struct warp_source *source);

/* Dimensions of the launch bounds that the kernel takes first, launch_bounds_t<N> of releases since 1.19; 0:
 * the source does not have the kernel, or an older release's bounds, which are of another layout. */
uint32_t warp_source_dimensions(const struct warp_source *source, const char *kernel);

/* Adds a name for each of the kernel's parameters; none if the source does not have the kernel. Types that C
 * lacks are left empty, but for the launch bounds', which <cubinet/arguments.h> has. */
cubinet_status warp_source_names(const struct warp_source *source, const char *kernel,
                                 struct launch_record *record);

#endif
