/* SPDX-License-Identifier: Apache-2.0 */
/* What loading a module has linked: for the load itself, and for whoever fills a cache ahead of it. */
#ifndef CBN_LINK_LOAD_H
#define CBN_LINK_LOAD_H

#include "loader/link/link_plan.h"

/* The release of the nvJitLink that would link one of a module's images for a target (a cubin's, without
 * suffix): of one that can link some image, or else of the first that is there; 0 if there is none. Leaves
 * the thread's message alone.
 *
 * path: of the only nvJitLink to be used, or NULL
 * driver: CUDA release of the driver that will load it; 0: any */
uint32_t cbn_link_load_release(const cubinet_image_info *images, uint32_t image_count, cubinet_target target,
                               const char *path, uint32_t driver);

/* The checked plan of an image of LTO-IR, with what it needs of other modules of its archive. The caller
 * frees it. */
cubinet_status cbn_link_load_plan(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                  cubinet_target target, struct cbn_link_plan **out_plan);

#endif
