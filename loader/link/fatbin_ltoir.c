/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/fatbin_ltoir.h"

#include "loader/link/fatbin.h"
#include "loader/link/link_choice.h"

#include <stdio.h>
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

/* The next container in a section or a library's member, wherever it lies: there they are not compressed.
 * NULL: none. */
static const unsigned char *next_container(const unsigned char *at, const unsigned char *end,
                                           size_t *out_size)
{
    while ((at = memmem(at, (size_t)(end - at), CBN_FATBIN_MAGIC, CBN_FATBIN_MAGIC_SIZE))) {
        *out_size = cbn_fatbin_size(at, (size_t)(end - at));
        if (*out_size) {
            return at;
        }
        at += CBN_FATBIN_MAGIC_SIZE;
    }
    return NULL;
}

struct cbn_ltoir_inside cbn_find_ltoir(const void *data, size_t size, cubinet_target target)
{
    struct cbn_ltoir_inside inside = {.is_needed = false, .is_alone = true, .is_everywhere = true};
    const unsigned char *end = (const unsigned char *)data + size;
    const unsigned char *at = data;
    size_t container = 0;
    bool has_ltoir = false;
    for (; (at = next_container(at, end, &container)); at += container) {
        struct found found = look_at_container(at, container, target);
        has_ltoir |= found.ltoir;
        inside.is_needed |= found.ltoir && !found.other;
        inside.is_alone &= found.ltoir && !found.other;
        inside.is_everywhere &= found.ltoir;
    }
    inside.is_alone &= inside.is_needed;
    inside.is_everywhere &= has_ltoir;
    return inside;
}

static void describe_container(const unsigned char *bytes, size_t size, char *text, size_t capacity)
{
    struct cbn_fatbin_entry entry;
    size_t length = 0;
    for (size_t at = CBN_FATBIN_HEADER;
         length < capacity && cbn_fatbin_read_entry(bytes + at, size - at, &entry); at += entry.size) {
        char name[CUBINET_TARGET_NAME_SIZE];
        bool is_known = entry.target.kind && entry.target.number <= UINT16_MAX;
        length += (size_t)snprintf(text + length, capacity - length, "%s%s", length ? ", " : "",
                                   is_known ? cubinet_target_name(entry.target, name) : "an unknown image");
    }
}

void cbn_describe_without_ltoir(const void *data, size_t size, cubinet_target target, char *text,
                                size_t capacity)
{
    const unsigned char *end = (const unsigned char *)data + size;
    const unsigned char *at = data;
    size_t container = 0;
    text[0] = '\0';
    for (; (at = next_container(at, end, &container)); at += container) {
        if (!look_at_container(at, container, target).ltoir) {
            describe_container(at, container, text, capacity);
            return;
        }
    }
}
