/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/candidates.h"

#include "base/array.h"
#include "loader/core/support/error.h"
#include "tune/names.h"

#include <cubinet/tuning.h>

#include <stdlib.h>
#include <string.h>

/* What candidates are made of at present. */
struct maker {
    const struct tune_set *set;
    const struct tune_choices *choices;
    const struct tune_extent *extent;
    struct expression_values names;
    struct candidate candidate;
    struct candidates *candidates;
    bool is_restricted;
};

static cubinet_status set_sides(struct expression_values *names, const char *prefix, const uint32_t sides[3])
{
    const uint64_t wide[3] = {sides[0], sides[1], sides[2]};
    return names_set_sides(names, prefix, wide);
}

static cubinet_status evaluate_shape(const struct tune_shape *shape, const struct expression_values *names,
                                     int64_t least, uint32_t sides[3])
{
    cubinet_status status = CUBINET_OK;
    for (int i = 0; !status && i < 3; i++) {
        int64_t side = 0;
        status = names_evaluate(&shape->sides[i], names, least, INT32_MAX, &side);
        sides[i] = (uint32_t)side;
    }
    return status;
}

cubinet_status candidate_set_grid(struct candidate *candidate, const struct tune_extent *extent)
{
    cubinet_tuning rule = {.size = sizeof(rule), .grid_rule = candidate->grid_rule};
    memcpy(rule.block, candidate->block, sizeof(rule.block));
    memcpy(rule.cluster, candidate->cluster, sizeof(rule.cluster));
    memcpy(rule.grid_value, candidate->grid_value, sizeof(rule.grid_value));
    memcpy(rule.grid_limit, candidate->grid_limit, sizeof(rule.grid_limit));
    return cubinet_tuning_get_grid(&rule, extent->sides, candidate->grid);
}

static cubinet_status name_block(struct expression_values *names, const struct candidate *candidate)
{
    const uint32_t *block = candidate->block;
    cubinet_status status = set_sides(names, "block", block);
    int64_t threads = 0;
    if (!status && (__builtin_mul_overflow((int64_t)block[0], block[1], &threads) ||
                    __builtin_mul_overflow(threads, block[2], &threads))) {
        status = cbn_error(CUBINET_ERROR_LIMIT, "a block of %u × %u × %u threads is too large", block[0],
                           block[1], block[2]);
    }
    return status ? status : expression_set(names, "threads", threads);
}

static cubinet_status name_grid(struct expression_values *names, const struct candidate *candidate)
{
    cubinet_status status = set_sides(names, "elements", candidate->grid_value);
    return status ? status : set_sides(names, "grid", candidate->grid);
}

static cubinet_status name_rest(struct expression_values *names, const struct candidate *candidate)
{
    cubinet_status status = expression_set(names, "shared", candidate->shared);
    return status ? status : set_sides(names, "cluster", candidate->cluster);
}

static cubinet_status check_restrictions(const struct tune_set *set, const struct expression_values *names,
                                         bool *out_allowed)
{
    *out_allowed = true;
    for (size_t i = 0; i < set->restrictions.count && *out_allowed; i++) {
        int64_t holds = 0;
        cubinet_status status =
            names_evaluate(&set->restrictions.items[i], names, INT64_MIN, INT64_MAX, &holds);
        if (status) {
            return status;
        }
        *out_allowed = holds != 0;
    }
    return CUBINET_OK;
}

static cubinet_status add(struct candidates *candidates, const struct candidate *candidate)
{
    for (size_t i = 0; i < candidates->count; i++) {
        if (candidate_is_same(&candidates->items[i], candidate)) {
            return CUBINET_OK;
        }
    }
    if (candidates->count == MOST_CANDIDATES) {
        return cbn_error(CUBINET_ERROR_LIMIT,
                         "there are more than %d candidates: shorten the lists, or "
                         "add restrictions",
                         MOST_CANDIDATES);
    }
    struct candidate *items = array_grow(candidates->items, candidates->count, sizeof(*items));
    if (!items) {
        return cbn_error_memory();
    }
    candidates->items = items;
    items[candidates->count++] = *candidate;
    return CUBINET_OK;
}

static cubinet_status finish(struct maker *maker)
{
    bool is_allowed = true;
    cubinet_status status = name_rest(&maker->names, &maker->candidate);
    if (!status && maker->is_restricted) {
        status = check_restrictions(maker->set, &maker->names, &is_allowed);
    }
    return !status && is_allowed ? add(maker->candidates, &maker->candidate) : status;
}

/* The loops, the one in the other: a list without entries is one entry of its default. */
static size_t at_least_one(size_t count)
{
    return count ? count : 1;
}

static cubinet_status each_shared(struct maker *maker)
{
    const struct tune_texts *list = &maker->choices->shared;
    cubinet_status status = candidate_set_grid(&maker->candidate, maker->extent);
    if (!status) {
        status = name_grid(&maker->names, &maker->candidate);
    }
    for (size_t i = 0; !status && i < at_least_one(list->count); i++) {
        int64_t bytes = 0;
        if (list->count) {
            status = names_evaluate(&list->items[i], &maker->names, 0, INT32_MAX, &bytes);
        }
        maker->candidate.shared = (uint32_t)bytes;
        status = status ? status : finish(maker);
    }
    return status;
}

static cubinet_status each_of(struct maker *maker, const struct tune_shapes *list, int64_t least,
                              uint32_t fallback, uint32_t place[3], cubinet_status (*next)(struct maker *))
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < at_least_one(list->count); i++) {
        place[0] = place[1] = place[2] = fallback;
        if (list->count) {
            status = evaluate_shape(&list->items[i], &maker->names, least, place);
        }
        status = status ? status : next(maker);
    }
    return status;
}

static cubinet_status after_cluster(struct maker *maker)
{
    uint32_t *cluster = maker->candidate.cluster;
    if (cluster[0] == 0) { /* none */
        cluster[1] = cluster[2] = 0;
    }
    return each_shared(maker);
}

static cubinet_status each_cluster(struct maker *maker)
{
    return each_of(maker, &maker->choices->cluster, 0, 0, maker->candidate.cluster, after_cluster);
}

static cubinet_status each_limit(struct maker *maker)
{
    const struct tune_shapes *list = &maker->choices->grid_limit;
    uint32_t *limit = maker->candidate.grid_limit;
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < at_least_one(list->count); i++) {
        limit[0] = limit[1] = limit[2] = 0;
        if (list->count) {
            status = evaluate_shape(&list->items[i], &maker->names, 0, limit);
        }
        for (size_t j = list->count ? list->items[i].count : 3; j < 3; j++) {
            limit[j] = 0; /* a side that is not said has no limit */
        }
        status = status ? status : each_cluster(maker);
    }
    return status;
}

static cubinet_status each_value(struct maker *maker)
{
    cubinet_status status = name_block(&maker->names, &maker->candidate);
    maker->candidate.grid_rule = maker->choices->grid_rule;
    return status
               ? status
               : each_of(maker, &maker->choices->grid_value, 1, 1, maker->candidate.grid_value, each_limit);
}

static cubinet_status start(struct maker *maker, uint32_t instance, uint32_t multiprocessors)
{
    expression_values_free(&maker->names);
    maker->candidate = (struct candidate){.instance = instance};
    cubinet_status status = names_add(&maker->names, NAMES_ALL, &maker->set->instances[instance]);
    if (!status) {
        status = names_set_sides(&maker->names, "extent", maker->extent->sides);
    }
    return status ? status : expression_set(&maker->names, "device.multiprocessors", multiprocessors);
}

static cubinet_status make_of(struct maker *maker, uint32_t instance, uint32_t multiprocessors)
{
    cubinet_status status = start(maker, instance, multiprocessors);
    return status ? status : each_of(maker, &maker->choices->block, 1, 1, maker->candidate.block, each_value);
}

static int compare_items(const void *a, const void *b)
{
    return candidate_compare(a, b);
}

cubinet_status candidates_make(const struct tune_set *set, const struct tune_extent *extent,
                               uint32_t multiprocessors, struct candidates *out_candidates)
{
    struct candidates made = {0};
    struct maker maker = {.set = set,
                          .choices = &set->candidates,
                          .extent = extent,
                          .candidates = &made,
                          .is_restricted = true};
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < set->instance_count; i++) {
        status = make_of(&maker, i, multiprocessors);
    }
    expression_values_free(&maker.names);
    if (status) {
        free(made.items);
        return status;
    }
    if (made.count) {
        qsort(made.items, made.count, sizeof(*made.items), compare_items);
    }
    *out_candidates = made;
    return CUBINET_OK;
}

static uint32_t find_instance(const struct tune_set *set, const char *kernel)
{
    uint32_t found = 0;
    for (uint32_t i = 0; kernel && i < set->instance_count; i++) {
        if (strcmp(set->instances[i].kernel, kernel) == 0) {
            found = i;
        }
    }
    return found;
}

cubinet_status candidate_of_choice(const struct tune_set *set, const char *kernel,
                                   const struct tune_choices *choices, const struct tune_extent *extent,
                                   uint32_t multiprocessors, struct candidate *out_candidate)
{
    struct candidates made = {0};
    struct maker maker = {.set = set, .choices = choices, .extent = extent, .candidates = &made};
    cubinet_status status = make_of(&maker, find_instance(set, kernel), multiprocessors);
    expression_values_free(&maker.names);
    if (!status) {
        *out_candidate = made.items[0];
    }
    free(made.items);
    return status;
}

cubinet_status candidate_is_allowed(const struct tune_set *set, const struct candidate *candidate,
                                    const struct tune_extent *extent, uint32_t multiprocessors,
                                    bool *out_allowed)
{
    struct maker maker = {.set = set, .extent = extent};
    cubinet_status status = start(&maker, candidate->instance, multiprocessors);
    if (!status) {
        status = name_block(&maker.names, candidate);
    }
    if (!status) {
        status = name_grid(&maker.names, candidate);
    }
    if (!status) {
        status = name_rest(&maker.names, candidate);
    }
    if (!status) {
        status = check_restrictions(set, &maker.names, out_allowed);
    }
    expression_values_free(&maker.names);
    return status;
}

cubinet_status candidates_put_default(struct candidates *candidates, const struct candidate *candidate)
{
    struct candidate own = *candidate; /* it may be one of them */
    size_t kept = 0;
    for (size_t i = 0; i < candidates->count; i++) {
        if (!candidate_is_same(&candidates->items[i], &own)) {
            candidates->items[kept++] = candidates->items[i];
        }
    }
    struct candidate *items = realloc(candidates->items, (kept + 1) * sizeof(*items));
    if (!items) {
        return cbn_error_memory();
    }
    memmove(items + 1, items, kept * sizeof(*items));
    items[0] = own;
    candidates->items = items;
    candidates->count = kept + 1;
    return CUBINET_OK;
}
