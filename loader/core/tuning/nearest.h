/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the measured extents is nearest: docs/reference/tuning-records.md, "Which record is used". */
#ifndef CBN_NEAREST_EXTENT_H
#define CBN_NEAREST_EXTENT_H

#include <stdbool.h>
#include <stdint.h>

/* Measured extents, of each axis one after the other. */
struct cbn_extents {
    uint32_t count;
    const uint32_t *logs[3]; /* cbn_extent_log() of each */
};

/* The binary logarithm of a number, at least 1, in steps of 2^-24: exact for powers of two, and a straight
 * line between them. A larger number has none that is less. */
uint32_t cbn_extent_log(uint64_t number);

/* The extent whose logarithms differ least, summed over the axes; of several the first. False if the wanted
 * one is not between two of them: one that is at most as long along every axis, and one that is at least as
 * long. */
bool cbn_extents_nearest(const struct cbn_extents *extents, const uint32_t wanted[3], uint32_t *out_nearest);

#endif
