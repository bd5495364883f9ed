/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/tuning/nearest.h"

enum { FRACTION_BITS = 24, TOP_BIT = 63 };

uint32_t cbn_extent_log(uint64_t number)
{
    int whole = TOP_BIT - __builtin_clzll(number);
    uint64_t fraction = (number << (TOP_BIT - whole)) >> (TOP_BIT - FRACTION_BITS);
    return ((uint32_t)whole << FRACTION_BITS) | (uint32_t)(fraction & ((1u << FRACTION_BITS) - 1));
}

static uint32_t distance(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

bool cbn_extents_nearest(const struct cbn_extents *extents, const uint32_t wanted[3], uint32_t *out_nearest)
{
    /* No branch depends on the extents: which is nearest nobody can foresee. The sum of three is below 2^32.
     */
    uint32_t least = UINT32_MAX;
    uint32_t nearest = 0;
    unsigned has_shorter = 0;
    unsigned has_longer = 0;
    for (uint32_t i = 0; i < extents->count; i++) {
        uint32_t x = extents->logs[0][i];
        uint32_t y = extents->logs[1][i];
        uint32_t z = extents->logs[2][i];
        uint32_t sum = distance(x, wanted[0]) + distance(y, wanted[1]) + distance(z, wanted[2]);
        has_shorter |= (unsigned)(x <= wanted[0]) & (unsigned)(y <= wanted[1]) & (unsigned)(z <= wanted[2]);
        has_longer |= (unsigned)(x >= wanted[0]) & (unsigned)(y >= wanted[1]) & (unsigned)(z >= wanted[2]);
        nearest = sum < least ? i : nearest;
        least = sum < least ? sum : least;
    }
    *out_nearest = nearest;
    return has_shorter && has_longer;
}
