/* SPDX-License-Identifier: Apache-2.0 */
#include "show/occupancy_output.h"

#include "loader/core/support/error.h"

/* The thread's message for a case that falls short. */
static void describe(const struct occupancy_case *item, const cubinet_occupancy *occupancy, uint32_t block,
                     double least)
{
    char place[CASE_PLACE_SIZE];
    char limiter[CUBINET_LIMITER_TEXT_SIZE];
    occupancy_place(item, place);
    occupancy_limiter(occupancy, limiter);
    if (block) {
        cbn_error(CUBINET_ERROR_LIMIT,
                  "kernel '%s' of module '%s' has an occupancy of %.3g on %s, with blocks of %u threads, "
                  "limited by %s; at least %.3g is required",
                  listing_kernel_name(item->module, item->kernel), item->module->name, occupancy->occupancy,
                  place, block, limiter, least);
    } else {
        cbn_error(CUBINET_ERROR_LIMIT,
                  "kernel '%s' of module '%s' can't run on %s with any block size, limited by %s; an "
                  "occupancy of at least %.3g is required",
                  listing_kernel_name(item->module, item->kernel), item->module->name, place, limiter, least);
    }
}

static bool is_enough(const struct occupancy_case *item, const struct occupancy_request *request,
                      double least)
{
    uint32_t block = request->block_threads;
    cubinet_occupancy occupancy = block ? occupancy_at(item, block) : occupancy_best(item, &block);
    if (occupancy.occupancy >= least) {
        return true;
    }
    describe(item, &occupancy, block, least);
    return false;
}

bool occupancy_check(const struct occupancy_cases *cases, const struct occupancy_request *request,
                     double least)
{
    bool enough = true;
    for (size_t i = 0; i < cases->count; i++) {
        if (!is_enough(&cases->items[i], request, least)) {
            command_failed();
            enough = false;
        }
    }
    return enough;
}
