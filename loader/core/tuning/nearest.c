/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/tuning/nearest.h"

#include <string.h>

/* A logarithm is below 2^29, so that the sum of three is a positive number of 32 bits. */
enum { FRACTION_BITS = 23, TOP_BIT = 63, SIGN_BIT = 31 };

int32_t cbn_extent_log(uint64_t number)
{
    int whole = TOP_BIT - __builtin_clzll(number);
    uint64_t fraction = (number << (TOP_BIT - whole)) >> (TOP_BIT - FRACTION_BITS);
    return whole << FRACTION_BITS | (int32_t)(fraction & ((1u << FRACTION_BITS) - 1));
}

/* Of each, as many as are compared at the same time. No branch depends on the extents: which is nearest
 * nobody can foresee. */
typedef int32_t lanes __attribute__((vector_size(CBN_EXTENT_LANES * sizeof(int32_t))));

struct scan {
    lanes least;
    lanes nearest;
    lanes shorter; /* -1 where one is at most as long along every axis */
    lanes longer;
};

static inline lanes all(int32_t value)
{
    return (lanes){value, value, value, value};
}

static inline lanes choose(lanes mask, lanes yes, lanes no)
{
    return (yes & mask) | (no & ~mask);
}

static inline void scan_step(const struct cbn_extents *extents, const lanes wanted[3], uint32_t place,
                             lanes numbers, struct scan *scan)
{
    lanes sum = all(0);
    lanes shorter = all(-1);
    lanes longer = all(-1);
    for (int i = 0; i < extents->axes; i++) {
        lanes logs;
        memcpy(&logs, extents->logs[i] + place, sizeof(logs));
        lanes difference = logs - wanted[i];
        lanes sign = difference >> SIGN_BIT;
        sum += (difference ^ sign) - sign;
        shorter &= difference <= all(0);
        longer &= ~sign;
    }
    lanes closer = sum < scan->least;
    scan->least = choose(closer, sum, scan->least);
    scan->nearest = choose(closer, numbers, scan->nearest);
    scan->shorter |= shorter;
    scan->longer |= longer;
}

/* The first of the nearest, whose lanes may be in any order. */
static uint32_t nearest_lane(const struct scan *scan, bool *out_between)
{
    int first = 0;
    int32_t shorter = 0;
    int32_t longer = 0;
    for (int i = 0; i < CBN_EXTENT_LANES; i++) {
        bool is_closer = scan->least[i] < scan->least[first];
        bool is_before = scan->least[i] == scan->least[first] && scan->nearest[i] < scan->nearest[first];
        first = is_closer || is_before ? i : first;
        shorter |= scan->shorter[i];
        longer |= scan->longer[i];
    }
    *out_between = shorter && longer;
    return (uint32_t)scan->nearest[first];
}

bool cbn_extents_nearest(const struct cbn_extents *extents, const int32_t wanted[3], uint32_t *out_nearest)
{
    const lanes all_wanted[3] = {all(wanted[0]), all(wanted[1]), all(wanted[2])};
    struct scan scan = {.least = all(INT32_MAX), .nearest = all(0), .shorter = all(0), .longer = all(0)};
    lanes numbers = {0, 1, 2, 3};
    for (uint32_t i = 0; i < extents->count; i += CBN_EXTENT_LANES) {
        scan_step(extents, all_wanted, i, numbers, &scan);
        numbers += all(CBN_EXTENT_LANES);
    }
    bool is_between;
    *out_nearest = nearest_lane(&scan, &is_between);
    for (int i = extents->axes; i < 3; i++) {
        is_between = is_between && wanted[i] == 0;
    }
    return is_between;
}
