/* SPDX-License-Identifier: Apache-2.0 */
#include "show/requirements_output.h"

#include "base/command.h"
#include "loader/core/support/error.h"

#include <stdlib.h>

void requirements_walk_free(struct requirements_walk *walk)
{
    requirements_whole_free(&walk->whole);
    requirements_grid_free(&walk->grid);
    free(walk->groups);
    free(walk->group_of);
    *walk = (struct requirements_walk){0};
}

static uint32_t find_group(const struct requirements_walk *walk, const struct listing_module *module)
{
    uint32_t group = 0;
    while (group < walk->group_count && !requirements_are_alike(walk->groups[group].first, module)) {
        group++;
    }
    return group;
}

static cubinet_status make_groups(const struct listing *listing, struct requirements_walk *walk)
{
    size_t count = (size_t)listing->module_count + 1;
    walk->groups = calloc(count, sizeof(*walk->groups));
    walk->group_of = calloc(count, sizeof(*walk->group_of));
    if (!walk->groups || !walk->group_of) {
        return cbn_error_memory();
    }
    for (uint32_t i = 0; i < listing->module_count; i++) {
        uint32_t group = find_group(walk, &listing->modules[i]);
        if (group == walk->group_count) {
            walk->groups[walk->group_count++].first = &listing->modules[i];
        }
        walk->groups[group].count++;
        walk->group_of[i] = group;
    }
    return CUBINET_OK;
}

static bool runs_somewhere(const struct requirements_table *table)
{
    size_t device = 0;
    while (device < table->grid->compute_count && !requirements_device_runs(table, device)) {
        device++;
    }
    return device < table->grid->compute_count;
}

static void warn_of_group(const struct requirements_group *group)
{
    if (group->count == 1) {
        command_warning("no GPU gets an image of module '%s', so the requirements leave it out",
                        group->first->name);
    } else {
        command_warning(
            "no GPU gets an image of module '%s' or of %u more, so the requirements leave them out",
            group->first->name, group->count - 1);
    }
}

static cubinet_status take_groups(struct requirements_walk *walk, requirements_take_fn take, void *data,
                                  struct requirements_table *whole)
{
    bool is_first = true;
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < walk->group_count; i++) {
        struct requirements_table table;
        status = requirements_table_make(&walk->grid, walk->groups[i].first, &table);
        if (status) {
            return status;
        }
        if (runs_somewhere(&table)) {
            requirements_table_add(whole, &table, is_first);
            is_first = false;
        } else {
            warn_of_group(&walk->groups[i]);
        }
        status = take(data, &walk->groups[i], i, &table);
        requirements_table_free(&table);
    }
    return status;
}

static cubinet_status make_whole(struct requirements_walk *walk, requirements_take_fn take, void *data)
{
    struct requirements_table table;
    cubinet_status status = requirements_table_start(&walk->grid, &table);
    if (status) {
        return status;
    }
    status = take_groups(walk, take, data, &table);
    if (status) {
        requirements_table_free(&table);
        return status;
    }
    return requirements_whole_make(&table, &walk->whole);
}

cubinet_status requirements_walk_make(const struct listing *listing, requirements_take_fn take, void *data,
                                      struct requirements_walk *out_walk)
{
    /* In its place from the start: tables point to the grid. */
    *out_walk = (struct requirements_walk){0};
    cubinet_status status = requirements_grid_make(listing, &out_walk->grid);
    if (!status) {
        status = make_groups(listing, out_walk);
    }
    if (!status) {
        status = make_whole(out_walk, take, data);
    }
    if (status) {
        requirements_walk_free(out_walk);
    }
    return status;
}
