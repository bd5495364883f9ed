/* SPDX-License-Identifier: Apache-2.0 */
#include "show/diff.h"

#include "loader/core/support/error.h"
#include "loader/core/support/nearest.h"

#include <string.h>

/* What is worse of a quantity. */
enum worse { WORSE_LARGER, WORSE_SMALLER, WORSE_OTHER };

static const struct quantity {
    const char *name;
    enum worse worse;
} quantities[] = {
    {"code", WORSE_OTHER},
    {"bytes", WORSE_LARGER},
    {"occupancy", WORSE_SMALLER},
    {"registers", WORSE_LARGER},
    {"static_shared_bytes", WORSE_LARGER},
    {"local_bytes", WORSE_LARGER},
    {"spill_store_bytes", WORSE_LARGER},
    {"spill_load_bytes", WORSE_LARGER},
    {"constant_bytes", WORSE_LARGER},
    {"barriers", WORSE_LARGER},
    {"max_threads_per_block", WORSE_SMALLER},
    {"max_block", WORSE_OTHER},
    {"required_block", WORSE_OTHER},
    {"min_blocks", WORSE_OTHER},
    {"required_cluster", WORSE_OTHER},
    {"max_cluster_blocks", WORSE_OTHER},
    {"param_bytes", WORSE_OTHER},
    {"launch", WORSE_OTHER},
    {"tuning", WORSE_OTHER},
};

enum { QUANTITY_COUNT = sizeof(quantities) / sizeof(quantities[0]) };

static cubinet_status fail_word(const char *word, size_t size)
{
    static const char *const others[] = {"any", "added", "removed"};
    struct cbn_nearest nearest;
    cbn_nearest_start(&nearest, word, size);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        cbn_nearest_offer(&nearest, others[i]);
    }
    for (size_t i = 0; i < QUANTITY_COUNT; i++) {
        cbn_nearest_offer(&nearest, quantities[i].name);
    }
    const char *found = cbn_nearest_found(&nearest);
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                     "'%.*s' is nothing that can differ%s%s%s; --help lists what there is", (int)size, word,
                     found ? "; the nearest is '" : "", found ? found : "", found ? "'" : "");
}

static bool is_word(const char *word, size_t size, const char *name)
{
    return strlen(name) == size && memcmp(word, name, size) == 0;
}

static cubinet_status add_word(struct diff_criteria *criteria, const char *word, size_t size)
{
    if (is_word(word, size, "any")) {
        criteria->any = true;
        return CUBINET_OK;
    }
    if (is_word(word, size, "added")) {
        criteria->added = true;
        return CUBINET_OK;
    }
    if (is_word(word, size, "removed")) {
        criteria->removed = true;
        return CUBINET_OK;
    }
    for (size_t i = 0; i < QUANTITY_COUNT; i++) {
        if (is_word(word, size, quantities[i].name)) {
            criteria->quantities |= 1U << i;
            return CUBINET_OK;
        }
    }
    return fail_word(word, size);
}

cubinet_status diff_criteria_parse(const char *words, struct diff_criteria *criteria)
{
    for (;;) {
        size_t size = strcspn(words, ",");
        cubinet_status status = add_word(criteria, words, size);
        if (status || words[size] == '\0') {
            return status;
        }
        words += size + 1;
    }
}

/* What became unknown, or known, is not known to be better. */
static bool got_worse(const struct difference *difference, enum worse worse)
{
    if (worse == WORSE_OTHER || !difference->old_value.known || !difference->new_value.known) {
        return true;
    }
    double growth = difference->new_value.numbers[0] - difference->old_value.numbers[0];
    return worse == WORSE_LARGER ? growth > 0 : growth < 0;
}

bool diff_criteria_match(const struct diff_criteria *criteria, const struct difference *difference)
{
    if (criteria->any) {
        return true;
    }
    if (difference->side != DIFFERENCE_CHANGED) {
        return difference->side == DIFFERENCE_ADDED ? criteria->added : criteria->removed;
    }
    for (size_t i = 0; i < QUANTITY_COUNT; i++) {
        if (strcmp(quantities[i].name, difference->what) == 0) {
            return (criteria->quantities >> i & 1) && got_worse(difference, quantities[i].worse);
        }
    }
    return false;
}
