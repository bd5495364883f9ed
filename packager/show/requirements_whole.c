/* SPDX-License-Identifier: Apache-2.0 */
#include "show/requirements_whole.h"

#include "loader/core/support/error.h"

#include <stdlib.h>

/* Whether every GPU that runs does so with this nvJitLink and this driver. The last device of the grid is
 * left out: GPUs that are still to come have drivers that are still to come. */
static bool all_run(const struct requirements_whole *whole, size_t linker, size_t driver)
{
    for (size_t device = 0; device + 1 < whole->table.grid->compute_count; device++) {
        if (whole->runs[device] && !requirements_at(&whole->table, device, linker, driver)->how) {
            return false;
        }
    }
    return true;
}

/* The driver from which on that is so; one past the last of the grid if there is none. */
static size_t least_driver(const struct requirements_whole *whole, size_t linker)
{
    size_t driver = whole->table.grid->release_count + 1;
    while (driver > 0 && all_run(whole, linker, driver - 1)) {
        driver--;
    }
    return driver;
}

static void find_linkers(struct requirements_whole *whole)
{
    const struct requirements_grid *grid = whole->table.grid;
    size_t never = grid->release_count + 1;
    size_t first = 1;
    while (first <= grid->release_count && least_driver(whole, first) == never) {
        first++;
    }
    if (first > grid->release_count) {
        return;
    }
    size_t driver = least_driver(whole, first);
    size_t last = first;
    while (last < grid->release_count && least_driver(whole, last + 1) == driver) {
        last++;
    }
    whole->driver = driver < grid->release_count ? grid->releases[driver] : 0;
    whole->linker = first;
    whole->linker_from = grid->releases[first - 1];
    whole->linker_before = requirements_release_after(grid->releases[last - 1]);
}

static void find_software(struct requirements_whole *whole)
{
    const struct requirements_grid *grid = whole->table.grid;
    size_t driver = least_driver(whole, 0);
    whole->needs_linker = driver > grid->release_count;
    if (whole->needs_linker) {
        find_linkers(whole);
    } else {
        whole->driver = driver < grid->release_count ? grid->releases[driver] : 0;
    }
}

cubinet_status requirements_whole_make(struct requirements_table *table, struct requirements_whole *out_whole)
{
    size_t count = table->grid->compute_count;
    struct requirements_whole whole = {.table = *table, .runs = calloc(count, sizeof(*whole.runs))};
    *table = (struct requirements_table){0};
    if (!whole.runs) {
        requirements_whole_free(&whole);
        return cbn_error_memory();
    }
    for (size_t device = 0; device < count; device++) {
        whole.runs[device] = requirements_device_runs(&whole.table, device);
        whole.has_some = whole.has_some || (whole.runs[device] && device + 1 < count);
    }
    whole.later = whole.runs[count - 1];
    if (whole.has_some) {
        find_software(&whole);
    }
    *out_whole = whole;
    return CUBINET_OK;
}

void requirements_whole_free(struct requirements_whole *whole)
{
    requirements_table_free(&whole->table);
    free(whole->runs);
    *whole = (struct requirements_whole){0};
}

unsigned requirements_whole_how(const struct requirements_whole *whole, size_t device)
{
    size_t newest = whole->table.grid->release_count;
    unsigned how = requirements_at(&whole->table, device, 0, newest)->how;
    for (size_t linker = 1; !how && linker < whole->table.linker_count; linker++) {
        how = requirements_at(&whole->table, device, linker, newest)->how;
    }
    return how;
}
