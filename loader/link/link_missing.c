/* SPDX-License-Identifier: Apache-2.0 */
/* Finding in an archive the modules that define what a plan's pieces need. */
#include "loader/core/support/error.h"
#include "loader/link/link_choice.h"
#include "loader/link/link_plan.h"
#include "loader/link/link_plan_parts.h"
#include "loader/link/link_provider.h"
#include "loader/link/link_symbols.h"

#include <stdlib.h>
#include <string.h>

/* A module that defines a missing symbol. */
struct provider {
    bool is_found;
    bool is_weak;
    uint32_t module;
    uint32_t image;
};

/* Of several modules that define a symbol weakly any will do. */
static cubinet_status offer(const cubinet_archive *archive, const char *name, const struct provider *offered,
                            struct provider *provider)
{
    if (provider->is_found && !provider->is_weak && !offered->is_weak) {
        return cbn_error(
            CUBINET_ERROR_LINK,
            "'%s' is missing, and modules '%s' and '%s' both define it: add the one you mean to the link",
            name, cbn_link_module_name(archive, provider->module),
            cbn_link_module_name(archive, offered->module));
    }
    if (!provider->is_found || (provider->is_weak && !offered->is_weak)) {
        *provider = *offered;
    }
    return CUBINET_OK;
}

/* Looks at one module for every missing symbol. */
static cubinet_status search_module(const struct cbn_link_plan *plan, const cubinet_archive *archive,
                                    uint32_t module, const struct cbn_text_list *missing,
                                    struct provider *providers)
{
    struct provider offered = {.is_found = true, .module = module};
    cubinet_status status = CUBINET_OK;
    if (cbn_link_has_module(plan, archive, module) ||
        !cbn_link_find_image(archive, module, plan->target, &offered.image)) {
        return CUBINET_OK;
    }
    for (size_t i = 0; i < missing->count && !status; i++) {
        if (cbn_link_defines(archive, module, offered.image, missing->items[i], &offered.is_weak)) {
            status = offer(archive, missing->items[i], &offered, &providers[i]);
        }
    }
    return status;
}

static cubinet_status add_providers(struct cbn_link_plan *plan, const cubinet_archive *archive,
                                    const struct provider *providers, size_t count)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; i < count && !status; i++) {
        if (providers[i].is_found && !cbn_link_has_module(plan, archive, providers[i].module)) {
            status = cbn_link_plan_add_image(plan, archive, providers[i].module, providers[i].image);
        }
    }
    return status;
}

/* One round: what is missing now. What was added may need more. */
static cubinet_status add_round(struct cbn_link_plan *plan, const cubinet_archive *archive,
                                const struct cbn_text_list *missing)
{
    struct provider *providers = calloc(missing->count + 1, sizeof(*providers));
    cubinet_status status = providers ? CUBINET_OK : cbn_error_memory();
    uint32_t modules = cubinet_archive_get_module_count(archive);
    for (uint32_t module = 0; module < modules && !status; module++) {
        status = search_module(plan, archive, module, missing, providers);
    }
    if (!status) {
        status = add_providers(plan, archive, providers, missing->count);
    }
    free(providers);
    return status;
}

cubinet_status cbn_link_plan_add_missing(struct cbn_link_plan *plan, const cubinet_archive *archive)
{
    cubinet_status status = CUBINET_OK;
    size_t before = 0;
    while (!status && plan->piece_count > before) {
        before = plan->piece_count;
        struct cbn_text_list missing = {0};
        status = cbn_symbols_missing(plan->pieces, plan->piece_count, &missing);
        if (!status && missing.count > 0) {
            status = add_round(plan, archive, &missing);
        }
        cbn_text_list_free(&missing);
    }
    return status;
}
