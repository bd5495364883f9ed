/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/fatbin_ltoir.h"

#include "loader/link/fatbin.h"
#include "loader/link/link_choice.h"

#include <string.h>

/* What a fatbin has that links for the target. */
struct found {
    bool ltoir;
    bool other;
};

static void look_at_entry(const struct cbn_fatbin_entry *entry, cubinet_target target, struct found *found)
{
    cubinet_image_info info = {.size = sizeof(info), .target = entry->target};
    if (!info.target.kind) {
        info.target.kind = CUBINET_IMAGE_CUBIN; /* nvJitLink may know it */
    }
    bool exists = info.target.number <= UINT16_MAX; /* and can be reckoned with */
    if (exists && cbn_image_links_for(&info, target)) {
        bool is_ltoir = info.target.kind == CUBINET_IMAGE_LTOIR;
        found->ltoir |= is_ltoir;
        found->other |= !is_ltoir;
    }
}

/* Entries up to the first that is cut off, which is for nvJitLink to refuse. */
static struct found look_at_container(const unsigned char *bytes, size_t size, cubinet_target target)
{
    struct found found = {false, false};
    struct cbn_fatbin_entry entry;
    for (size_t at = CBN_FATBIN_HEADER; cbn_fatbin_read_entry(bytes + at, size - at, &entry);
         at += entry.size) {
        look_at_entry(&entry, target, &found);
    }
    return found;
}

struct cbn_ltoir_inside cbn_find_ltoir(const void *data, size_t size, cubinet_target target)
{
    struct cbn_ltoir_inside inside = {.is_needed = false, .is_alone = true};
    const unsigned char *end = (const unsigned char *)data + size;
    const unsigned char *at = data;
    /* Wherever in a section or a library's member they lie: there they are not compressed. */
    while ((at = memmem(at, (size_t)(end - at), CBN_FATBIN_MAGIC, CBN_FATBIN_MAGIC_SIZE))) {
        size_t container = cbn_fatbin_size(at, (size_t)(end - at));
        if (container) {
            struct found found = look_at_container(at, container, target);
            inside.is_needed |= found.ltoir && !found.other;
            inside.is_alone &= found.ltoir && !found.other;
        }
        at += container ? container : CBN_FATBIN_MAGIC_SIZE;
    }
    inside.is_alone &= inside.is_needed;
    return inside;
}
