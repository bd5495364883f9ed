/* SPDX-License-Identifier: Apache-2.0 */
#include "show/explain.h"

#include "base/text_table.h"
#include "loader/core/support/error.h"
#include "show/explain_tunings.h"

#include <stdlib.h>

static cubinet_status add_verdict(struct text_table *table, const struct explain *explain,
                                  const struct listing_module *module, const struct ranking *ranking,
                                  uint32_t place, const cubinet_device_profile *profile)
{
    const cubinet_verdict *verdict = &ranking->verdicts[place];
    char name[CUBINET_TARGET_NAME_SIZE];
    char *reason = explain_reason(explain, module, verdict, profile);
    if (!reason) {
        return cbn_error_memory();
    }
    if (place < ranking->candidates) {
        text_table_add(table, "%u", place + 1);
    } else {
        text_table_add(table, "-");
    }
    text_table_add(table, "%s", cubinet_target_name(module->images[verdict->image].target, name));
    text_table_add(table, "%s", place < ranking->candidates ? coverage_match_name(verdict->match) : "");
    text_table_add(table, "%s", reason);
    free(reason);
    return CUBINET_OK;
}

static void print_heading(const struct explain *explain, const struct listing_module *module,
                          const cubinet_device_profile *profile, const struct ranking *ranking)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    char release[RELEASE_TEXT_SIZE];
    printf("module %s on %s", module->name, explain->devices[0].label);
    if (profile->driver_version) {
        printf(", driver for CUDA %s", release_text(profile->driver_version, release));
    }
    if (profile->nvjitlink_version) {
        printf(", nvJitLink %s", release_text(profile->nvjitlink_version, release));
    }
    printf(": %s\n", ranking->candidates
                         ? cubinet_target_name(module->images[ranking->verdicts[0].image].target, name)
                         : "no image runs");
}

/* Every image of a module with its place, for the one device. */
static cubinet_status print_ranking(const struct explain *explain, const struct listing_module *module)
{
    cubinet_device_profile profile = explain_profile(explain, module, 0);
    struct ranking ranking = {0};
    cubinet_status status = ranking_make(module, &profile, explain->policy, &ranking);
    if (status) {
        return status;
    }
    struct text_table table = {.alignment = "rlll"};
    for (uint32_t i = 0; !status && i < module->image_count; i++) {
        status = add_verdict(&table, explain, module, &ranking, i, &profile);
    }
    if (!status) {
        print_heading(explain, module, &profile, &ranking);
        status = text_table_print(&table, 2, stdout);
        table.cells = (struct buffer){0};
    }
    if (!status) {
        status = explain_tunings_print(explain, module, &ranking, &profile);
    }
    buffer_free(&table.cells);
    ranking_free(&ranking);
    return status;
}

/* What the module comes down to on one of several devices, and what would be tried after it. */
static cubinet_status add_device(struct text_table *table, const struct explain *explain,
                                 const struct listing_module *module, size_t device)
{
    cubinet_device_profile profile = explain_profile(explain, module, device);
    struct ranking ranking = {0};
    cubinet_status status = ranking_make(module, &profile, explain->policy, &ranking);
    if (status) {
        return status;
    }
    struct buffer others = {0};
    char name[CUBINET_TARGET_NAME_SIZE];
    for (size_t i = 1; i < ranking.candidates; i++) {
        const cubinet_image_info *image = &module->images[ranking.verdicts[i].image];
        buffer_printf(&others, "%s%s", i > 1 ? ", " : "then ", cubinet_target_name(image->target, name));
    }
    text_table_add(table, "%s", explain->devices[device].label);
    if (ranking.candidates) {
        const cubinet_verdict *best = &ranking.verdicts[0];
        text_table_add(table, "%s", cubinet_target_name(module->images[best->image].target, name));
        text_table_add(table, "%s", coverage_match_name(best->match));
    } else {
        text_table_add(table, "-");
        text_table_add(table, "does not run");
    }
    text_table_add(table, "%s", others.size ? others.data : "");
    table->cells.failed = table->cells.failed || others.failed;
    buffer_free(&others);
    ranking_free(&ranking);
    return CUBINET_OK;
}

static cubinet_status print_devices(const struct explain *explain, const struct listing_module *module)
{
    struct text_table table = {.alignment = "llll"};
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < explain->device_count; i++) {
        status = add_device(&table, explain, module, i);
    }
    if (status) {
        buffer_free(&table.cells);
        return status;
    }
    printf("module %s\n", module->name);
    return text_table_print(&table, 2, stdout);
}

cubinet_status explain_print(const struct explain *explain)
{
    const struct listing *listing = &explain->shown->listing;
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < listing->module_count; i++) {
        if (i > 0) {
            putchar('\n');
        }
        status = explain->device_count == 1 ? print_ranking(explain, &listing->modules[i])
                                            : print_devices(explain, &listing->modules[i]);
    }
    return status;
}
