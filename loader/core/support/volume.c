/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/support/volume.h"

#include <cubinet/archive.h>

static uint32_t at_least_one(uint32_t side)
{
    return side ? side : 1;
}

uint64_t cbn_volume(const uint32_t sides[3])
{
    if (!sides[0] && !sides[1] && !sides[2]) {
        return 0;
    }
    uint64_t plane = (uint64_t)at_least_one(sides[0]) * at_least_one(sides[1]);
    return plane > UINT32_MAX ? UINT64_MAX : plane * at_least_one(sides[2]);
}

uint64_t cbn_recorded_volume(const uint32_t sides[3])
{
    return sides[0] == CUBINET_UNKNOWN ? 0 : cbn_volume(sides);
}
