/* SPDX-License-Identifier: Apache-2.0 */
/* Which of a module's images serves which GPU, when everything that it may need on the machine is there. */
#ifndef COVERAGE_H
#define COVERAGE_H

#include "archive/listing.h"

#include <cubinet/select.h>

#include <stdbool.h>

/* A compute capability beyond all that exist. */
enum { COVERAGE_FUTURE_COMPUTE = 990 };

/* What selection makes of a module's images for a device. */
struct ranking {
    cubinet_verdict *verdicts; /* as cubinet_images_rank() orders them, one for each image */
    size_t candidates;
};

/* policy: NULL for the default */
cubinet_status ranking_make(const struct listing_module *module, const cubinet_device_profile *device,
                            const cubinet_policy *policy, struct ranking *out_ranking);
void ranking_free(struct ranking *ranking);

/* A device of a compute capability with the newest driver, and the nvJitLink that the module's LTO-IR wants.
 */
cubinet_device_profile coverage_device(const struct listing_module *module, int compute);

/* The image that a device of that capability gets, as a short word: "90a", "86", "ptx80", "lto75", "tile131";
 * "-": none. */
enum { COVERAGE_WORD_SIZE = 16 };
cubinet_status coverage_word(const struct listing_module *module, int compute, char word[COVERAGE_WORD_SIZE]);

/* Whether a GPU of a major capability that no toolkit knows yet could use the module. */
cubinet_status coverage_of_future(const struct listing_module *module, bool *out_covered);

/* "arch-specific", "family-specific", "exact", "same-major", "link", "tile", "jit", "optix";
 * "none". */
const char *coverage_match_name(cubinet_match match);

#endif
