/* SPDX-License-Identifier: Apache-2.0 */
#include "source/name_set.h"

#include "loader/core/support/error.h"

#include <stdlib.h>

static size_t hash_of(const struct cxx_token *name)
{
    size_t hash = 14695981039346656037u;
    for (uint32_t i = 0; i < name->size; i++) {
        hash = (hash ^ (unsigned char)name->text[i]) * 1099511628211u;
    }
    return hash;
}

static const struct cxx_token **slot_of(const struct name_set *set, const struct cxx_token *name)
{
    size_t at = hash_of(name) & (set->slot_count - 1);
    while (set->slots[at] && !cxx_same(set->slots[at], name)) {
        at = (at + 1) & (set->slot_count - 1);
    }
    return &set->slots[at];
}

static cubinet_status grow(struct name_set *set)
{
    struct name_set larger = {.slot_count = set->slot_count ? 2 * set->slot_count : 64, .count = set->count};
    larger.slots = calloc(larger.slot_count, sizeof(*larger.slots));
    if (!larger.slots) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < set->slot_count; i++) {
        if (set->slots[i]) {
            *slot_of(&larger, set->slots[i]) = set->slots[i];
        }
    }
    free(set->slots);
    *set = larger;
    return CUBINET_OK;
}

cubinet_status name_set_add(struct name_set *set, const struct cxx_token *name)
{
    if (2 * (set->count + 1) > set->slot_count && grow(set)) {
        return CUBINET_ERROR_OUT_OF_MEMORY;
    }
    const struct cxx_token **slot = slot_of(set, name);
    set->count += *slot == NULL;
    *slot = name;
    return CUBINET_OK;
}

bool name_set_has(const struct name_set *set, const struct cxx_token *name)
{
    return set->slot_count > 0 && *slot_of(set, name);
}

void name_set_free(struct name_set *set)
{
    free(set->slots);
    *set = (struct name_set){0};
}
