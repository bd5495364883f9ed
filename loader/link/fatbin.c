/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/fatbin.h"

#include "loader/core/archive/format.h"

#include <limits.h>
#include <string.h>

bool cbn_fatbin_is(const void *data, size_t size)
{
    return size >= CBN_FATBIN_MAGIC_SIZE && memcmp(data, CBN_FATBIN_MAGIC, CBN_FATBIN_MAGIC_SIZE) == 0;
}

size_t cbn_fatbin_size(const unsigned char *bytes, size_t size)
{
    bool is_whole = cbn_fatbin_is(bytes, size) && size >= CBN_FATBIN_HEADER &&
                    cbn_get16(bytes + CBN_FATBIN_VERSION) == 1 &&
                    cbn_get16(bytes + CBN_FATBIN_HEADER_SIZE) == CBN_FATBIN_HEADER &&
                    cbn_get64(bytes + CBN_FATBIN_SIZE) <= size - CBN_FATBIN_HEADER;
    return is_whole ? CBN_FATBIN_HEADER + (size_t)cbn_get64(bytes + CBN_FATBIN_SIZE) : 0;
}

static cubinet_image_kind kind_of(int code)
{
    switch (code) {
    case CBN_FATBIN_PTX:
        return CUBINET_IMAGE_PTX;
    case CBN_FATBIN_CUBIN:
        return CUBINET_IMAGE_CUBIN;
    case CBN_FATBIN_LTOIR:
        return CUBINET_IMAGE_LTOIR;
    case CBN_FATBIN_TILEIR:
        return CUBINET_IMAGE_TILEIR;
    default:
        return 0;
    }
}

static cubinet_target target_of(const unsigned char *entry, cubinet_image_kind kind)
{
    uint64_t flags = cbn_get64(entry + CBN_FATBIN_ENTRY_FLAGS);
    uint32_t number = cbn_get32(entry + CBN_FATBIN_ENTRY_NUMBER);
    if (kind == CUBINET_IMAGE_TILEIR) {
        return (cubinet_target){.kind = kind};
    }
    return (cubinet_target){
        .kind = kind,
        .number = number <= INT_MAX ? (int)number : INT_MAX,
        .suffix = flags & CBN_FATBIN_SUFFIX_A   ? 'a'
                  : flags & CBN_FATBIN_SUFFIX_F ? 'f'
                                                : 0,
    };
}

bool cbn_fatbin_read_entry(const unsigned char *bytes, size_t size, struct cbn_fatbin_entry *out_entry)
{
    uint64_t header = size >= CBN_FATBIN_ENTRY_HEADER ? cbn_get32(bytes + CBN_FATBIN_ENTRY_HEADER_SIZE) : 0;
    if (header < CBN_FATBIN_ENTRY_HEADER || header > size ||
        cbn_get64(bytes + CBN_FATBIN_ENTRY_SIZE) > size - header) {
        return false;
    }
    int code = cbn_get16(bytes + CBN_FATBIN_ENTRY_KIND);
    *out_entry = (struct cbn_fatbin_entry){
        .target = target_of(bytes, kind_of(code)),
        .code = code,
        .bytes = bytes,
        .size = (size_t)(header + cbn_get64(bytes + CBN_FATBIN_ENTRY_SIZE)),
    };
    return true;
}
