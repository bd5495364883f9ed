/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/fatbin_ltoir.h"

#include "loader/core/archive/format.h"
#include "loader/link/link_choice.h"

#include <string.h>

enum {
    CONTAINER_VERSION = 4,     /* 16 bits: 1 */
    CONTAINER_HEADER_SIZE = 6, /* 16 bits: 16 */
    CONTAINER_SIZE = 8,        /* 64 bits: what follows the header */
    CONTAINER_HEADER = 16,

    ENTRY_KIND = 0,        /* 16 bits */
    ENTRY_HEADER_SIZE = 4, /* 32 bits */
    ENTRY_SIZE = 8,        /* 64 bits: what follows its header */
    ENTRY_NUMBER = 28,     /* 32 bits */
    ENTRY_FLAGS = 40,      /* 64 bits */
    ENTRY_HEADER = 64,

    FLAGS_A = 0x100000,
    FLAGS_F = 0x200000,
};

static const unsigned char magic[] = {0x50, 0xed, 0x55, 0xba};

static bool is_container(const unsigned char *bytes, size_t size)
{
    return size >= CONTAINER_HEADER && memcmp(bytes, magic, sizeof(magic)) == 0 &&
           cbn_get16(bytes + CONTAINER_VERSION) == 1 &&
           cbn_get16(bytes + CONTAINER_HEADER_SIZE) == CONTAINER_HEADER &&
           cbn_get64(bytes + CONTAINER_SIZE) <= size - CONTAINER_HEADER;
}

static cubinet_image_kind kind_of(const unsigned char *entry)
{
    switch (cbn_get16(entry + ENTRY_KIND)) {
    case 1:
        return CUBINET_IMAGE_PTX;
    case 8:
        return CUBINET_IMAGE_LTOIR;
    default:
        return CUBINET_IMAGE_CUBIN;
    }
}

/* What a fatbin has that links for the target. */
struct found {
    bool ltoir;
    bool other;
};

static void look_at_entry(const unsigned char *entry, cubinet_target target, struct found *found)
{
    uint32_t number = cbn_get32(entry + ENTRY_NUMBER);
    uint64_t flags = cbn_get64(entry + ENTRY_FLAGS);
    const cubinet_image_info info = {
        .size = sizeof(info),
        .target = {.kind = kind_of(entry),
                   .number = number <= UINT16_MAX ? (int)number : 0,
                   .suffix = flags & FLAGS_A   ? 'a'
                             : flags & FLAGS_F ? 'f'
                                               : 0},
    };
    if (cbn_image_links_for(&info, target)) {
        bool is_ltoir = info.target.kind == CUBINET_IMAGE_LTOIR;
        found->ltoir |= is_ltoir;
        found->other |= !is_ltoir;
    }
}

/* Entries up to the first that is cut off, which is for nvJitLink to refuse. */
static struct found look_at_container(const unsigned char *bytes, size_t size, cubinet_target target)
{
    struct found found = {false, false};
    while (size >= ENTRY_HEADER) {
        uint64_t header = cbn_get32(bytes + ENTRY_HEADER_SIZE);
        if (header < ENTRY_HEADER || header > size || cbn_get64(bytes + ENTRY_SIZE) > size - header) {
            break;
        }
        look_at_entry(bytes, target, &found);
        size_t entry = (size_t)(header + cbn_get64(bytes + ENTRY_SIZE));
        bytes += entry;
        size -= entry;
    }
    return found;
}

struct cbn_ltoir_inside cbn_find_ltoir(const void *data, size_t size, cubinet_target target)
{
    struct cbn_ltoir_inside inside = {.is_needed = false, .is_alone = true};
    const unsigned char *end = (const unsigned char *)data + size;
    const unsigned char *at = data;
    /* Wherever in a section or a library's member they lie: there they are not compressed. */
    while ((at = memmem(at, (size_t)(end - at), magic, sizeof(magic)))) {
        size_t skipped = sizeof(magic);
        if (is_container(at, (size_t)(end - at))) {
            skipped = CONTAINER_HEADER + (size_t)cbn_get64(at + CONTAINER_SIZE);
            struct found found = look_at_container(at + CONTAINER_HEADER, skipped - CONTAINER_HEADER, target);
            inside.is_needed |= found.ltoir && !found.other;
            inside.is_alone &= found.ltoir && !found.other;
        }
        at += skipped;
    }
    inside.is_alone &= inside.is_needed;
    return inside;
}
