/* SPDX-License-Identifier: Apache-2.0 */
/* Finding in an archive the modules that define what a plan's pieces need. */
#include "loader/core/support/error.h"
#include "loader/link/link_choice.h"
#include "loader/link/link_plan.h"
#include "loader/link/link_plan_parts.h"
#include "loader/link/link_symbols.h"
#include "loader/link/link_undefined.h"

#include <stdlib.h>
#include <string.h>

/* A module that defines a missing symbol. */
struct provider {
    bool is_found;
    bool is_weak;
    uint32_t module;
    uint32_t image;
};

static bool is_in_plan(const struct cbn_link_plan *plan, const cubinet_archive *archive, uint32_t module)
{
    for (size_t i = 0; i < plan->piece_count; i++) {
        if (plan->pieces[i].archive == archive && plan->pieces[i].module == module) {
            return true;
        }
    }
    return false;
}

/* Whether an image defines a symbol. Its symbols are in order, those that it defines first. */
static bool defines(const cubinet_archive *archive, uint32_t module, uint32_t image, const char *name,
                    bool *out_weak)
{
    cubinet_image_info info = {.size = sizeof(info)};
    if (cubinet_archive_get_image(archive, module, image, &info)) {
        return false;
    }
    for (uint32_t i = 0; i < info.defined_count; i++) {
        cubinet_symbol_info symbol = {.size = sizeof(symbol)};
        if (!cubinet_archive_get_symbol(archive, module, image, i, &symbol) &&
            strcmp(symbol.name, name) == 0) {
            *out_weak = (symbol.flags & CUBINET_SYMBOL_WEAK) != 0;
            return true;
        }
    }
    return false;
}

static const char *module_name(const cubinet_archive *archive, uint32_t module)
{
    cubinet_module_info info = {.size = sizeof(info)};
    return cubinet_archive_get_module(archive, module, &info) ? "" : info.name;
}

/* Of several modules that define a symbol weakly any will do. */
static cubinet_status offer(const cubinet_archive *archive, const char *name, const struct provider *offered,
                            struct provider *provider)
{
    if (provider->is_found && !provider->is_weak && !offered->is_weak) {
        return cbn_error(CUBINET_ERROR_LINK,
                         "'%s' is missing, and modules '%s' and '%s' both define it: add the one that is "
                         "meant to the link",
                         name, module_name(archive, provider->module), module_name(archive, offered->module));
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
    if (is_in_plan(plan, archive, module) ||
        !cbn_link_find_image(archive, module, plan->target, &offered.image)) {
        return CUBINET_OK;
    }
    for (size_t i = 0; i < missing->count && !status; i++) {
        if (defines(archive, module, offered.image, missing->items[i], &offered.is_weak)) {
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
        if (providers[i].is_found && !is_in_plan(plan, archive, providers[i].module)) {
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

const char *cbn_link_find_provider(const struct cbn_link_plan *plan, const cubinet_archive *archive,
                                   const char *symbol)
{
    uint32_t modules = cubinet_archive_get_module_count(archive);
    for (uint32_t module = 0; module < modules; module++) {
        uint32_t image = 0;
        bool is_weak = false;
        if (!is_in_plan(plan, archive, module) &&
            cbn_link_find_image(archive, module, plan->target, &image) &&
            defines(archive, module, image, symbol, &is_weak)) {
            return module_name(archive, module);
        }
    }
    return NULL;
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
