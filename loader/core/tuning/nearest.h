/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the measured extents is nearest: docs/reference/tuning-records.md, "Which record is used". */
#ifndef CBN_NEAREST_EXTENT_H
#define CBN_NEAREST_EXTENT_H

#include <stdbool.h>
#include <stdint.h>

/* Several are compared at the same time. */
enum { CBN_EXTENT_LANES = 4 };

/* Measured extents, of each axis one after the other. After the last there are copies of it, up to a
 * multiple of CBN_EXTENT_LANES. */
struct cbn_extents {
    uint32_t count;
    int axes;               /* the others' logarithms are all 0 */
    const int32_t *logs[3]; /* cbn_extent_log() of each */
};

/* How many logarithms an axis has room for. */
static inline uint32_t cbn_extents_room(uint32_t count)
{
    return (count + CBN_EXTENT_LANES - 1) / CBN_EXTENT_LANES * CBN_EXTENT_LANES;
}

/* The binary logarithm of a number, at least 1, in steps of 2^-23: exact for powers of two, and a straight
 * line between them. A larger number has none that is less. */
int32_t cbn_extent_log(uint64_t number);

/* The extent whose logarithms differ least, summed over the axes; of several the first. False if the wanted
 * one is not between two of them: one that is at most as long along every axis, and one that is at least as
 * long. */
bool cbn_extents_nearest(const struct cbn_extents *extents, const int32_t wanted[3], uint32_t *out_nearest);

#endif
