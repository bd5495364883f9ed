/* SPDX-License-Identifier: Apache-2.0 */
#include "image/nvvm_container.h"

#include "loader/core/archive/format.h"
#include "loader/core/support/error.h"

#include <string.h>

enum {
    LEVEL = 14,  /* 16 bits */
    NUMBER = 26, /* 16 bits: compute capability, 100 × major + 10 × minor */
    HEADER = 28,
    LEVEL_LTO = 1,
    LEVEL_OPTIX = 2,
};

static const unsigned char magic[] = {0xed, 0x43, 0x4e, 0x7f};

bool nvvm_container_is(const void *data, size_t size)
{
    return size >= sizeof(magic) && memcmp(data, magic, sizeof(magic)) == 0;
}

cubinet_status nvvm_container_target(const void *data, size_t size, cubinet_target *out_target)
{
    const unsigned char *header = data;
    if (!nvvm_container_is(data, size) || size < HEADER) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "LTO-IR or OptiX-IR that is cut off");
    }
    unsigned level = cbn_get16(header + LEVEL);
    int number = cbn_get16(header + NUMBER) / 10;
    if ((level != LEVEL_LTO && level != LEVEL_OPTIX) || number < 10) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "it is neither LTO-IR nor OptiX-IR: an NVVM container of level %u", level);
    }
    *out_target = (cubinet_target){.kind = level == LEVEL_OPTIX ? CUBINET_IMAGE_OPTIXIR : CUBINET_IMAGE_LTOIR,
                                   .number = number};
    return CUBINET_OK;
}
