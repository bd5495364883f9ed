/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernels and variables of its module each part of an image has. */
#ifndef PART_LISTS_H
#define PART_LISTS_H

#include "archive/listing.h"

/* Numbers in the module: those of part i, in ascending order, are from starts[i] on, up to starts[i + 1]. */
struct part_lists {
    uint32_t *items;
    uint32_t *starts;
};

/* An image that does not consist of parts has its kernels in part 0. The caller frees the lists.
 * CUBINET_ERROR_OUT_OF_MEMORY */
cubinet_status part_lists_kernels(const cubinet_archive *archive, const struct listing_module *module,
                                  uint32_t image, struct part_lists *out_lists);

/* Of an image that does not consist of parts, nothing is recorded: it has none. */
cubinet_status part_lists_globals(const cubinet_archive *archive, const struct listing_module *module,
                                  uint32_t image, struct part_lists *out_lists);

void part_lists_free(struct part_lists *lists);

#endif
