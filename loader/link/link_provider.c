/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/link_provider.h"

#include "loader/link/link_choice.h"
#include "loader/link/link_plan_parts.h"

#include <string.h>

bool cbn_link_has_module(const struct cbn_link_plan *plan, const cubinet_archive *archive, uint32_t module)
{
    for (size_t i = 0; i < plan->piece_count; i++) {
        if (plan->pieces[i].archive == archive && plan->pieces[i].module == module) {
            return true;
        }
    }
    return false;
}

/* Whether an image defines a symbol. Its symbols are in order, those that it defines first. */
bool cbn_link_defines(const cubinet_archive *archive, uint32_t module, uint32_t image, const char *name,
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

const char *cbn_link_module_name(const cubinet_archive *archive, uint32_t module)
{
    cubinet_module_info info = {.size = sizeof(info)};
    return cubinet_archive_get_module(archive, module, &info) ? "" : info.name;
}

const char *cbn_link_find_provider(const struct cbn_link_plan *plan, const cubinet_archive *archive,
                                   const char *symbol)
{
    uint32_t modules = cubinet_archive_get_module_count(archive);
    for (uint32_t module = 0; module < modules; module++) {
        uint32_t image = 0;
        bool is_weak = false;
        if (!cbn_link_has_module(plan, archive, module) &&
            cbn_link_find_image(archive, module, plan->target, &image) &&
            cbn_link_defines(archive, module, image, symbol, &is_weak)) {
            return cbn_link_module_name(archive, module);
        }
    }
    return NULL;
}
