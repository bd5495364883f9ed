/* SPDX-License-Identifier: Apache-2.0 */
#include "select_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const int all_computes[] = {50, 52, 53, 60,  61,  62,  70,  72,  75,  80,  86, 87,
                            88, 89, 90, 100, 101, 103, 107, 110, 120, 121, 0};

/* ISA and release, as the PTX ISA manual's release history pairs them. */
static const uint32_t isas[][2] = {{80, 12000}, {81, 12010}, {82, 12020}, {83, 12030}, {84, 12040},
                                   {85, 12050}, {86, 12070}, {87, 12080}, {88, 12090}, {90, 13000},
                                   {91, 13010}, {92, 13020}, {93, 13030}, {94, 13040}, {95, 13050}};

uint32_t isa_of(uint32_t release)
{
    uint32_t isa = 78;
    for (size_t i = 0; i < sizeof(isas) / sizeof(isas[0]); i++) {
        isa = isas[i][1] <= release ? isas[i][0] : isa;
    }
    return isa;
}

cubinet_image_info image_of(const char *target, uint32_t from)
{
    cubinet_image_info image = {.size = sizeof(image), .toolkit = from, .stored_size = 1, .raw_size = 1};
    if (cubinet_target_parse(target, &image.target)) {
        abort();
    }
    image.ptx_isa = image.target.kind == CUBINET_IMAGE_PTX ? isa_of(from) : 0;
    image.link_floor = image.target.kind == CUBINET_IMAGE_LTOIR ? from : 0;
    return image;
}

cubinet_device_profile device_of(int number, uint32_t driver, uint32_t nvjitlink)
{
    return (cubinet_device_profile){
        .size = sizeof(cubinet_device_profile),
        .compute_major = number / 10,
        .compute_minor = number % 10,
        .flags = cubinet_compute_is_tegra(number / 10, number % 10) ? CUBINET_DEVICE_TEGRA : 0,
        .driver_version = driver,
        .nvjitlink_version = nvjitlink,
    };
}

/* What code for a target runs on, each a list of " 9.0 "-like entries without the point. */
static const struct {
    const char *target;
    const char *devices;
} binaries[] = {
    {"50", " 50 52 "},
    {"52", " 52 "},
    {"53", " 53 "},
    {"60", " 60 61 "},
    {"61", " 61 "},
    {"62", " 62 "},
    {"70", " 70 75 "},
    {"72", " 72 "},
    {"75", " 75 "},
    {"80", " 80 86 89 "},
    {"86", " 86 89 "},
    {"87", " 87 "},
    {"88", " 88 "},
    {"89", " 89 "},
    {"90", " 90 "},
    {"100", " 100 103 107 "},
    {"101", " 101 "},
    {"103", " 103 107 "},
    {"107", " 107 "},
    {"110", " 110 "},
    {"120", " 120 121 "},
    {"121", " 121 "},
    {"90a", " 90 "},
    {"100a", " 100 "},
    {"101a", " 101 "},
    {"103a", " 103 "},
    {"107a", " 107 "},
    {"110a", " 110 "},
    {"120a", " 120 "},
    {"121a", " 121 "},
    {"100f", " 100 103 107 "},
    {"101f", " 101 "},
    {"103f", " 103 107 "},
    {"107f", " 107 "},
    {"110f", " 110 "},
    {"120f", " 120 121 "},
    {"121f", " 121 "},
};

static int listed(cubinet_target target, int compute)
{
    char name[16], entry[16];
    snprintf(name, sizeof(name), "%d%.1s", target.number, (const char[]){(char)target.suffix, '\0'});
    snprintf(entry, sizeof(entry), " %d ", compute);
    for (size_t i = 0; i < sizeof(binaries) / sizeof(binaries[0]); i++) {
        if (strcmp(binaries[i].target, name) == 0) {
            return strstr(binaries[i].devices, entry) != NULL;
        }
    }
    abort();
}

static int driver_takes(const cubinet_device_profile *device, uint32_t release)
{
    return device->driver_version == 0 || device->driver_version >= release;
}

static int linker_serves(const cubinet_device_profile *device, const cubinet_image_info *image, int compute)
{
    static const struct {
        int compute;
        uint32_t first, last;
    } ages[] = {{88, 13000, 99999},  {100, 12080, 99999}, {101, 12080, 12099}, {103, 12090, 99999},
                {107, 13040, 99999}, {110, 13000, 99999}, {120, 12080, 99999}, {121, 12090, 99999}};
    uint32_t linker = device->nvjitlink_version;
    if (linker < image->link_floor || linker / 1000 != image->link_floor / 1000) {
        return 0;
    }
    if (compute < 75 && linker >= 13000) {
        return 0;
    }
    for (size_t i = 0; i < sizeof(ages) / sizeof(ages[0]); i++) {
        if (ages[i].compute == compute && (linker < ages[i].first || linker > ages[i].last)) {
            return 0;
        }
    }
    return driver_takes(device, linker / 1000 * 1000);
}

static int is_reached(cubinet_target target, int compute)
{
    return target.suffix ? listed(target, compute) : compute >= target.number;
}

int may_run(const cubinet_image_info *image, const cubinet_device_profile *device)
{
    int compute = device->compute_major * 10 + device->compute_minor;
    if (image->target.kind == CUBINET_IMAGE_CUBIN) {
        return listed(image->target, compute) && driver_takes(device, image->toolkit / 1000 * 1000);
    }
    if (image->target.kind == CUBINET_IMAGE_LTOIR) {
        return is_reached(image->target, compute) && linker_serves(device, image, compute);
    }
    for (size_t i = 0; i < sizeof(isas) / sizeof(isas[0]); i++) {
        if (isas[i][0] == image->ptx_isa) {
            return is_reached(image->target, compute) && driver_takes(device, isas[i][1]);
        }
    }
    return 0;
}
