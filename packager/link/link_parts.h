/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that the result of a link is filed in (docs/guide/linking.md, "Parts"): which kernels share
 * something shows in the PTX that nvJitLink makes of all pieces. */
#ifndef LINK_PARTS_H
#define LINK_PARTS_H

#include "link/link_module.h"
#include "loader/link/link_plan.h"
#include "ptx/splitting/ptx_split.h"

struct link_parts {
    struct ptx_parts texts; /* none: the PTX stays whole */
    struct contents *contents;
};

/* With --verbose, prints how many parts an image is in, or why it is in one. */
void link_parts_say(const struct link_request *request, cubinet_target target, size_t count,
                    const char *reason);

/* Whether to link to PTX, to split that. Says why not if the user wants to know. */
bool link_parts_are_wanted(const struct link_request *request, cubinet_target target,
                           const struct cbn_link_plan *plan, bool calls_runtime);

/* Splits cleaned PTX of a link, if it has what is to be split. The caller frees the parts. */
cubinet_status link_parts_split(const struct link_request *request, cubinet_target target, const char *text,
                                size_t size, struct link_parts *out_parts);
void link_parts_free(struct link_parts *parts);

/* Whether a part has the kernel, for cbn_link_plan_check_made(). */
bool link_parts_have_kernel(const void *parts, const char *name);

/* The texts as what is to be filed, one item for each part; they are the items' then. */
void link_parts_take_texts(struct link_parts *parts, struct draft_part *items);

/* Files parts, whose bytes it takes over, as the image for a target. */
cubinet_status link_parts_file(struct draft_module *module, cubinet_target target, struct draft_part *items,
                               size_t count, int toolkit);

#endif
