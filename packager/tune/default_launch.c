/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/default_launch.h"

#include "loader/core/support/error.h"

#include <cubinet/tuning.h>

#include <string.h>

/* For the function that tells a block's shared memory. */
struct shared_user {
    const struct tune_set *set;
    const struct tune_extent *extent;
    uint32_t multiprocessors;
};

static struct tune_shapes first_of(const struct tune_shapes *list)
{
    return (struct tune_shapes){.items = list->items, .count = list->count ? 1 : 0};
}

/* The first of all alternatives, with a block that is chosen elsewhere. */
static cubinet_status with_block(const struct shared_user *user, const uint32_t block[3],
                                 struct candidate *out_candidate)
{
    const struct tune_choices *all = &user->set->candidates;
    struct tune_shape shape = {0};
    for (int i = 0; i < 3; i++) {
        shape.sides[i].number = block[i];
    }
    const struct tune_choices choices = {
        .block = {.items = &shape, .count = 1},
        .grid_rule = all->grid_rule,
        .grid_value = first_of(&all->grid_value),
        .grid_limit = first_of(&all->grid_limit),
        .shared = {.items = all->shared.items, .count = all->shared.count ? 1 : 0},
        .cluster = first_of(&all->cluster),
    };
    return candidate_of_choice(user->set, NULL, &choices, user->extent, user->multiprocessors, out_candidate);
}

static uint32_t shared_of(uint32_t threads, void *data)
{
    const uint32_t block[3] = {threads, 1, 1};
    struct candidate candidate;
    return with_block(data, block, &candidate) ? 0 : candidate.shared;
}

static cubinet_status suggest(const struct shared_user *user, const cubinet_kernel *kernel,
                              struct candidate *out_candidate)
{
    static const uint32_t one[3] = {1, 1, 1};
    struct shared_user own = *user;
    struct candidate first;
    cubinet_launch_config config = {.size = sizeof(config)};
    cubinet_suggest_options options = {.size = sizeof(options), .flags = CUBINET_SUGGEST_NO_TUNING};
    cubinet_status status = with_block(user, one, &first);
    if (status) {
        return status;
    }
    if (user->set->candidates.shared.count) {
        options.dynamic_shared_fn = shared_of;
        options.dynamic_shared_user = &own;
    }
    if (first.grid_rule == CUBINET_GRID_PER_THREAD) {
        options.elements_per_thread = first.grid_value[0];
    }
    if (user->set->is_cooperative) {
        options.flags |= CUBINET_LAUNCH_COOPERATIVE;
    }
    memcpy(options.cluster, first.cluster, sizeof(options.cluster));
    status = cubinet_kernel_suggest_launch(kernel, user->extent->sides, &options, &config, NULL);
    return status ? status : with_block(user, config.block, out_candidate);
}

cubinet_status default_launch(const struct tune_set *set, const cubinet_kernel *kernel,
                              const struct tune_extent *extent, uint32_t multiprocessors,
                              struct candidate *out_candidate, bool *out_found)
{
    const struct shared_user user = {.set = set, .extent = extent, .multiprocessors = multiprocessors};
    *out_found = true;
    if (set->has_default) {
        return candidate_of_choice(set, set->default_kernel, &set->own_default, extent, multiprocessors,
                                   out_candidate);
    }
    cubinet_status status = suggest(&user, kernel, out_candidate);
    if (status) {
        *out_found = false;
        return status == CUBINET_ERROR_OUT_OF_MEMORY ? status : CUBINET_OK;
    }
    return candidate_is_allowed(set, out_candidate, extent, multiprocessors, out_found);
}
