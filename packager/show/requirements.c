/* SPDX-License-Identifier: Apache-2.0 */
#include "show/requirements.h"

#include "loader/core/support/error.h"
#include "show/coverage.h"
#include "show/gpus.h"

#include <stdlib.h>

enum {
    FIRST_MAJOR = 12,
    LEAST_LAST_MAJOR = 14, /* one past the newest that there is */
    MOST_LAST_MAJOR = 20,  /* what a damaged archive names does not make the grid endless */
    MINORS = 10,
};

uint32_t requirements_release_after(uint32_t release)
{
    uint32_t next = release + 10;
    return next % 1000 < MINORS * 10 ? next : release / 1000 * 1000 + 1000;
}

static cubinet_status make_computes(struct requirements_grid *grid)
{
    grid->computes = calloc(gpu_count + 1, sizeof(*grid->computes));
    if (!grid->computes) {
        return cbn_error_memory();
    }
    for (size_t i = gpu_count; i > 0; i--) {
        if (grid->compute_count == 0 || grid->computes[grid->compute_count - 1] != gpus[i - 1].compute) {
            grid->computes[grid->compute_count++] = gpus[i - 1].compute;
        }
    }
    grid->computes[grid->compute_count++] = COVERAGE_FUTURE_COMPUTE;
    return CUBINET_OK;
}

static uint32_t newest_major(const struct listing *listing)
{
    uint32_t newest = 0;
    for (uint32_t i = 0; i < listing->module_count; i++) {
        for (uint32_t j = 0; j < listing->modules[i].image_count; j++) {
            const cubinet_image_info *image = &listing->modules[i].images[j];
            newest = image->toolkit / 1000 > newest ? image->toolkit / 1000 : newest;
            newest = image->link_floor / 1000 > newest ? image->link_floor / 1000 : newest;
        }
    }
    return newest;
}

static cubinet_status make_releases(const struct listing *listing, struct requirements_grid *grid)
{
    uint32_t last = newest_major(listing) + 1;
    last = last < LEAST_LAST_MAJOR ? LEAST_LAST_MAJOR : last;
    last = last > MOST_LAST_MAJOR ? MOST_LAST_MAJOR : last;
    grid->releases = calloc((size_t)(last - FIRST_MAJOR + 1) * MINORS, sizeof(*grid->releases));
    if (!grid->releases) {
        return cbn_error_memory();
    }
    for (uint32_t release = FIRST_MAJOR * 1000; release / 1000 <= last;
         release = requirements_release_after(release)) {
        grid->releases[grid->release_count++] = release;
    }
    return CUBINET_OK;
}

cubinet_status requirements_grid_make(const struct listing *listing, struct requirements_grid *out_grid)
{
    struct requirements_grid grid = {0};
    cubinet_status status = make_computes(&grid);
    if (!status) {
        status = make_releases(listing, &grid);
    }
    if (status) {
        requirements_grid_free(&grid);
        return status;
    }
    *out_grid = grid;
    return CUBINET_OK;
}

void requirements_grid_free(struct requirements_grid *grid)
{
    free(grid->computes);
    free(grid->releases);
    *grid = (struct requirements_grid){0};
}

static bool are_images_alike(const cubinet_image_info *a, const cubinet_image_info *b)
{
    return cubinet_target_compare(a->target, b->target) == 0 && a->toolkit == b->toolkit &&
           a->ptx_isa == b->ptx_isa && a->link_floor == b->link_floor &&
           (a->needed_count > 0) == (b->needed_count > 0);
}

bool requirements_are_alike(const struct listing_module *a, const struct listing_module *b)
{
    if (a->image_count != b->image_count) {
        return false;
    }
    for (uint32_t i = 0; i < a->image_count; i++) {
        if (!are_images_alike(&a->images[i], &b->images[i])) {
            return false;
        }
    }
    return true;
}

static struct requirements_choice *at(const struct requirements_table *table, size_t device, size_t linker,
                                      size_t driver)
{
    size_t row = linker < table->linker_count ? linker : 0;
    return &table->choices[(device * table->linker_count + row) * (table->grid->release_count + 1) + driver];
}

const struct requirements_choice *requirements_at(const struct requirements_table *table, size_t device,
                                                  size_t linker, size_t driver)
{
    return at(table, device, linker, driver);
}

static cubinet_status allocate(const struct requirements_grid *grid, size_t linker_count,
                               struct requirements_table *out_table)
{
    size_t count = grid->compute_count * linker_count * (grid->release_count + 1);
    *out_table = (struct requirements_table){
        .grid = grid, .linker_count = linker_count, .choices = calloc(count, sizeof(*out_table->choices))};
    return out_table->choices ? CUBINET_OK : cbn_error_memory();
}

void requirements_table_free(struct requirements_table *table)
{
    free(table->choices);
    *table = (struct requirements_table){0};
}

static bool has_ltoir(const struct listing_module *module)
{
    for (uint32_t i = 0; i < module->image_count; i++) {
        if (module->images[i].target.kind == CUBINET_IMAGE_LTOIR) {
            return true;
        }
    }
    return false;
}

static unsigned how_of(cubinet_match match)
{
    switch (match) {
    case CUBINET_MATCH_ARCH_SPECIFIC:
    case CUBINET_MATCH_FAMILY_SPECIFIC:
    case CUBINET_MATCH_EXACT:
    case CUBINET_MATCH_SAME_MAJOR:
        return REQUIREMENTS_NATIVE;
    case CUBINET_MATCH_LINK:
        return REQUIREMENTS_LINK;
    case CUBINET_MATCH_TILE:
    case CUBINET_MATCH_JIT:
        return REQUIREMENTS_JIT;
    case CUBINET_MATCH_OPTIX:
    case CUBINET_MATCH_NONE:
        break;
    }
    return 0;
}

/* Asks selection about every driver that a device and an nvJitLink can have beside them. */
static void ask(const struct requirements_table *table, const struct listing_module *module, size_t device,
                size_t linker, cubinet_verdict *verdicts)
{
    const struct requirements_grid *grid = table->grid;
    cubinet_device_profile profile = coverage_device(module, grid->computes[device]);
    profile.nvjitlink_version = linker ? grid->releases[linker - 1] : 0;
    for (size_t driver = 0; driver <= grid->release_count; driver++) {
        profile.driver_version = driver < grid->release_count ? grid->releases[driver] : 0;
        if (cubinet_images_rank(module->images, module->image_count, &profile, NULL, verdicts) > 0) {
            *at(table, device, linker, driver) = (struct requirements_choice){
                .how = how_of(verdicts[0].match),
                .match = verdicts[0].match,
                .target = module->images[verdicts[0].image].target,
            };
        }
    }
}

cubinet_status requirements_table_make(const struct requirements_grid *grid,
                                       const struct listing_module *module,
                                       struct requirements_table *out_table)
{
    struct requirements_table table;
    cubinet_verdict *verdicts = calloc((size_t)module->image_count + 1, sizeof(*verdicts));
    cubinet_status status = verdicts ? allocate(grid, has_ltoir(module) ? grid->release_count + 1 : 1, &table)
                                     : cbn_error_memory();
    if (status) {
        free(verdicts);
        return status;
    }
    for (size_t device = 0; device < grid->compute_count; device++) {
        for (size_t linker = 0; linker < table.linker_count; linker++) {
            ask(&table, module, device, linker, verdicts);
        }
    }
    free(verdicts);
    *out_table = table;
    return CUBINET_OK;
}

cubinet_status requirements_table_start(const struct requirements_grid *grid,
                                        struct requirements_table *out_table)
{
    return allocate(grid, grid->release_count + 1, out_table);
}

void requirements_table_add(struct requirements_table *whole, const struct requirements_table *module,
                            bool is_first)
{
    for (size_t device = 0; device < whole->grid->compute_count; device++) {
        for (size_t linker = 0; linker < whole->linker_count; linker++) {
            for (size_t driver = 0; driver <= whole->grid->release_count; driver++) {
                struct requirements_choice *sum = at(whole, device, linker, driver);
                unsigned how = at(module, device, linker, driver)->how;
                bool runs = how && (sum->how || is_first);
                sum->how = runs ? sum->how | how : 0;
            }
        }
    }
}

bool requirements_same_choice(const struct requirements_choice *a, const struct requirements_choice *b)
{
    return a->how == b->how && a->target.kind == b->target.kind && a->target.number == b->target.number &&
           a->target.suffix == b->target.suffix;
}

/* Whether a device gets the same with two nvJitLinks, or two devices do, whatever the driver. */
static bool same_row(const struct requirements_table *table, size_t device, size_t linker,
                     size_t other_device, size_t other_linker)
{
    for (size_t driver = 0; driver <= table->grid->release_count; driver++) {
        if (!requirements_same_choice(at(table, device, linker, driver),
                                      at(table, other_device, other_linker, driver))) {
            return false;
        }
    }
    return true;
}

bool requirements_same_device(const struct requirements_table *table, size_t a, size_t b)
{
    for (size_t linker = 0; linker < table->linker_count; linker++) {
        if (!same_row(table, a, linker, b, linker)) {
            return false;
        }
    }
    return true;
}

bool requirements_device_runs(const struct requirements_table *table, size_t device)
{
    for (size_t linker = 0; linker < table->linker_count; linker++) {
        for (size_t driver = 0; driver <= table->grid->release_count; driver++) {
            if (at(table, device, linker, driver)->how) {
                return true;
            }
        }
    }
    return false;
}

bool requirements_next_linkers(const struct requirements_table *table, size_t device, size_t *place,
                               struct requirements_linkers *out_linkers)
{
    size_t first = *place;
    if (first == 0) {
        *place = 1;
        *out_linkers = (struct requirements_linkers){0};
        return true;
    }
    while (first < table->linker_count && same_row(table, device, first, device, 0)) {
        first++;
    }
    size_t end = first;
    while (end < table->linker_count && same_row(table, device, end, device, first)) {
        end++;
    }
    *place = end;
    if (first == end) {
        return false;
    }
    *out_linkers = (struct requirements_linkers){
        .first = first,
        .from = table->grid->releases[first - 1],
        .before = requirements_release_after(table->grid->releases[end - 2]),
    };
    return true;
}

bool requirements_next_step(const struct requirements_table *table, size_t device, size_t linker,
                            size_t *place, struct requirements_step *out_step)
{
    static const struct requirements_choice nothing = {0};
    for (size_t driver = *place; driver <= table->grid->release_count; driver++) {
        const struct requirements_choice *choice = at(table, device, linker, driver);
        const struct requirements_choice *before =
            driver > 0 ? at(table, device, linker, driver - 1) : &nothing;
        if (!requirements_same_choice(choice, before)) {
            *place = driver + 1;
            *out_step = (struct requirements_step){
                .driver = driver < table->grid->release_count ? table->grid->releases[driver] : 0,
                .choice = choice,
            };
            return true;
        }
    }
    return false;
}
