/* SPDX-License-Identifier: Apache-2.0 */
#include "show/explain_warnings.h"

#include "base/buffer.h"
#include "base/command.h"
#include "loader/core/support/error.h"

/* The highest plain compute capability that the module has an image for, to suggest PTX for it; 0 if it has
 * nothing that PTX could stand for. */
static int highest_number(const struct listing_module *module)
{
    int highest = 0;
    for (uint32_t i = 0; i < module->image_count; i++) {
        const cubinet_target target = module->images[i].target;
        bool is_code = target.kind != CUBINET_IMAGE_TILEIR && target.kind != CUBINET_IMAGE_OPTIXIR;
        int number = is_code ? target.number : 0;
        highest = number > highest ? number : highest;
    }
    return highest;
}

enum { MOST_NAMED = 10 /* modules, in warnings of one sort */ };

static bool is_named(uint32_t *count)
{
    return ++*count <= MOST_NAMED;
}

static void tell_rest(uint32_t count)
{
    if (count > MOST_NAMED) {
        uint32_t rest = count - MOST_NAMED;
        command_warning("so it is with %u more %s", rest, rest == 1 ? "module" : "modules");
    }
}

static cubinet_status warn_of_future(const struct listing_module *module, uint32_t *count)
{
    bool covered;
    cubinet_status status = coverage_of_future(module, &covered);
    if (!status && !covered && highest_number(module) > 0 && is_named(count)) {
        command_warning("module '%s' has nothing that a future GPU could use; add PTX, such as "
                        "compute_%d",
                        module->name, highest_number(module));
    }
    return status;
}

/* Appends the device if it is served by an image that must be made ready on its machine. */
static cubinet_status list_if_jit(const struct explain *explain, const struct listing_module *module,
                                  size_t device, struct buffer *list)
{
    cubinet_device_profile profile = explain_profile(explain, module, device);
    struct ranking ranking = {0};
    cubinet_status status = ranking_make(module, &profile, explain->policy, &ranking);
    if (status) {
        return status;
    }
    if (ranking.candidates > 0 && ranking.verdicts[0].match >= CUBINET_MATCH_LINK) {
        buffer_printf(list, "%s%d.%d", list->size ? ", " : "", profile.compute_major, profile.compute_minor);
    }
    ranking_free(&ranking);
    return CUBINET_OK;
}

static cubinet_status warn_of_jit(const struct explain *explain, const struct listing_module *module,
                                  uint32_t *count)
{
    struct buffer list = {0};
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < explain->device_count; i++) {
        status = list_if_jit(explain, module, i, &list);
    }
    if (list.failed) {
        status = cbn_error_memory();
    }
    if (!status && list.size > 0 && is_named(count)) {
        command_warning("module '%s' gets to compute capability %s only through compiling or linking on that "
                        "machine, when it is first loaded",
                        module->name, list.data);
    }
    buffer_free(&list);
    return status;
}

cubinet_status explain_warn(const struct explain *explain)
{
    const struct listing *listing = &explain->shown->listing;
    uint32_t future = 0;
    uint32_t jit = 0;
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < listing->module_count; i++) {
        status = warn_of_future(&listing->modules[i], &future);
    }
    tell_rest(future);
    for (uint32_t i = 0; !status && i < listing->module_count; i++) {
        status = warn_of_jit(explain, &listing->modules[i], &jit);
    }
    tell_rest(jit);
    return status;
}
