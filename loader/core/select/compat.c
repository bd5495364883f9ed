/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/select/compat.h"

#include <cubinet/select.h>

#include <stddef.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* 101 is what CUDA 12 called 110. */
static const int tegra_parts[] = {53, 62, 72, 87, 101, 110};

int cubinet_compute_is_tegra(int major, int minor)
{
    for (size_t i = 0; i < COUNT(tegra_parts); i++) {
        if (major == tegra_parts[i] / 10 && minor == tegra_parts[i] % 10) {
            return 1;
        }
    }
    return 0;
}

bool cbn_compute_stands_alone(int number)
{
    return number == 88 || cubinet_compute_is_tegra(number / 10, number % 10);
}

static const struct family {
    int number;
    int members[4];
} families[] = {
    {100, {100, 103, 107}}, {101, {101}},      {103, {103, 107}}, {107, {107}},
    {110, {110}},           {120, {120, 121}}, {121, {121}},
};

const int *cbn_family(int number)
{
    for (size_t i = 0; i < COUNT(families); i++) {
        if (families[i].number == number) {
            return families[i].members;
        }
    }
    return NULL;
}

static const struct isa {
    uint32_t isa;
    uint32_t release;
} isas[] = {
    {70, 11000}, {71, 11010}, {72, 11020}, {73, 11030}, {74, 11040}, {75, 11050}, {76, 11060}, {77, 11070},
    {78, 11080}, {80, 12000}, {81, 12010}, {82, 12020}, {83, 12030}, {84, 12040}, {85, 12050}, {86, 12070},
    {87, 12080}, {88, 12090}, {90, 13000}, {91, 13010}, {92, 13020}, {93, 13030}, {94, 13040}, {95, 13050},
};

uint32_t cbn_ptx_isa_release(uint32_t isa)
{
    for (size_t i = 0; i < COUNT(isas); i++) {
        if (isas[i].isa == isa) {
            return isas[i].release;
        }
    }
    /* Older ones than the table: every driver that this library works with takes them. */
    return isa >= 10 && isa < isas[0].isa ? isas[0].release : 0;
}

static const struct tile_support {
    int number;
    uint32_t release;
} tile_supports[] = {
    {80, 13020},  {86, 13020},  {87, 13020},  {88, 13020},  {89, 13020},  {90, 13030},
    {100, 13010}, {103, 13010}, {107, 13040}, {110, 13010}, {120, 13010}, {121, 13010},
};

uint32_t cbn_tile_release(int number)
{
    for (size_t i = 0; i < COUNT(tile_supports); i++) {
        if (tile_supports[i].number == number) {
            return tile_supports[i].release;
        }
    }
    /* Later than the table: the drivers of such a device are later than the first that have Tile IR. */
    return number > tile_supports[COUNT(tile_supports) - 1].number ? 13010 : 0;
}

/* Compute capabilities that some CUDA 12 or 13 makes no code for. */
static const struct support {
    int number;
    uint32_t first; /* release that makes code for it; 0: before CUDA 12 */
    uint32_t end;   /* release that makes none any more; 0: none yet */
} supports[] = {
    {50, 0, 13000},  {52, 0, 13000},  {53, 0, 13000},  {60, 0, 13000},  {61, 0, 13000},      {62, 0, 13000},
    {70, 0, 13000},  {72, 0, 13000},  {88, 13000, 0},  {100, 12080, 0}, {101, 12080, 13000}, {103, 12090, 0},
    {107, 13040, 0}, {110, 13000, 0}, {120, 12080, 0}, {121, 12090, 0},
};

bool cbn_release_range(int number, uint32_t *out_first, uint32_t *out_end)
{
    for (size_t i = 0; i < COUNT(supports); i++) {
        if (supports[i].number == number) {
            *out_first = supports[i].first;
            *out_end = supports[i].end;
            return true;
        }
    }
    return false;
}

bool cbn_release_targets(uint32_t release, int number)
{
    uint32_t first;
    uint32_t end;
    return !cbn_release_range(number, &first, &end) || (release >= first && (end == 0 || release < end));
}
