/* SPDX-License-Identifier: Apache-2.0 */
/* The configurations that are tried for an extent. */
#ifndef CANDIDATES_H
#define CANDIDATES_H

#include "base/buffer.h"
#include "tune/description.h"

struct candidate {
    uint32_t instance; /* of the set */
    uint32_t block[3];
    uint32_t grid_rule; /* cubinet_grid_rule */
    uint32_t grid_value[3];
    uint32_t grid_limit[3];
    uint32_t cluster[3];
    uint32_t shared;
    uint32_t grid[3]; /* of the extent */
};

struct candidates {
    struct candidate *items; /* the default comes first, the others in the order of simplicity */
    size_t count;
};

enum { MOST_CANDIDATES = 4096 };

/* Makes the set's candidates that its restrictions allow. */
cubinet_status candidates_make(const struct tune_set *set, const struct tune_extent *extent,
                               uint32_t multiprocessors, struct candidates *out_candidates);

/* Makes the only candidate of a launch that the description chose: of "default" or "reference". */
cubinet_status candidate_of_choice(const struct tune_set *set, const char *kernel,
                                   const struct tune_choices *choices, const struct tune_extent *extent,
                                   uint32_t multiprocessors, struct candidate *out_candidate);

/* Whether the restrictions allow it. */
cubinet_status candidate_is_allowed(const struct tune_set *set, const struct candidate *candidate,
                                    const struct tune_extent *extent, uint32_t multiprocessors,
                                    bool *out_allowed);

/* Puts the default first, and takes away another of the same configuration. */
cubinet_status candidates_put_default(struct candidates *candidates, const struct candidate *candidate);

/* Works out the grid. */
cubinet_status candidate_set_grid(struct candidate *candidate, const struct tune_extent *extent);

bool candidate_is_same(const struct candidate *a, const struct candidate *b);

/* Negative if `a` is simpler than `b`: an earlier instance, no cluster or a smaller one, less dynamic shared
 * memory, no limit of the grid, fewer elements of a thread or block, threads nearer to 256, then fewer, then
 * a block that is wider, in this order. A total order: 0 only for the same configuration. */
int candidate_compare(const struct candidate *a, const struct candidate *b);

/* "scale<4>: block 128, 4 elements per thread, cluster 2, 1024 B shared" */
void candidate_write(const struct tune_set *set, const struct candidate *candidate, struct buffer *text);

#endif
