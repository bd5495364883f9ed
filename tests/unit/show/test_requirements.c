/* SPDX-License-Identifier: Apache-2.0 */
/* What `cubinet requirements` says of random modules, compared with selection on every machine of its grid.
 */
#include "unit.h"

#include "loader/core/select/compat.h"
#include "select_cases.h"
#include "show/gpus.h"
#include "show/requirements_whole.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_IMAGES = 6, MOST_MODULES = 4 };

static const char *const targets[] = {
    "sm_50",   "sm_75",       "sm_80",        "sm_86",       "sm_87",      "sm_88",      "sm_90",
    "sm_90a",  "sm_100",      "sm_100a",      "sm_100f",     "sm_103f",    "sm_103a",    "sm_110",
    "sm_120",  "sm_120f",     "sm_121a",      "compute_50",  "compute_75", "compute_86", "compute_90",
    "lto_52",  "compute_90a", "compute_100f", "compute_120", "lto_75",     "lto_90",     "lto_100f",
    "lto_120", "tile_131",    "tile_133",     "optix_75",
};
static const uint32_t makers[] = {0, 12000, 12040, 12080, 12090, 13000, 13010, 13040, 13050, 15020};

static uint32_t state = 1;

static uint32_t draw(uint32_t count)
{
    state = state * 1664525 + 1013904223;
    return (state >> 8) % count;
}

struct module {
    struct listing_module listing;
    cubinet_image_info images[MOST_IMAGES];
};

static void draw_module(struct module *module)
{
    memset(module, 0, sizeof(*module));
    module->listing.name = "m";
    module->listing.images = module->images;
    module->listing.image_count = 1 + draw(MOST_IMAGES);
    for (uint32_t i = 0; i < module->listing.image_count; i++) {
        cubinet_image_info *image = &module->images[i];
        *image = image_of(targets[draw(COUNT(targets))], makers[draw(COUNT(makers))]);
        image->digest[0] = (uint8_t)i;
        image->needed_count = draw(12) == 0;
        if (image->ptx_isa && draw(12) == 0) {
            image->ptx_isa = 199; /* no version that is known */
        }
    }
}

/* The claim about a machine, as docs/guide/requirements.md says that it is read. NULL: nothing runs. */
static const struct requirements_choice *claim(const struct requirements_table *table, size_t device,
                                               uint32_t linker, uint32_t driver)
{
    const struct requirements_choice *chosen = NULL;
    struct requirements_linkers range;
    size_t first = 0;
    for (size_t place = 0; requirements_next_linkers(table, device, &place, &range);) {
        first = range.from && range.from <= linker && linker < range.before ? range.first : first;
    }
    struct requirements_step step;
    for (size_t place = 0; requirements_next_step(table, device, first, &place, &step);) {
        if (!driver || (step.driver && step.driver <= driver)) {
            chosen = step.choice;
        }
    }
    return chosen && chosen->how ? chosen : NULL;
}

/* What the rules say; NULL if nothing runs. */
static const cubinet_image_info *truth(const struct module *module, int compute, uint32_t linker,
                                       uint32_t driver, cubinet_match *out_match)
{
    cubinet_verdict verdicts[MOST_IMAGES];
    cubinet_device_profile device = device_of(compute, driver, linker);
    if (!cubinet_images_rank(module->images, module->listing.image_count, &device, NULL, verdicts)) {
        return NULL;
    }
    *out_match = verdicts[0].match;
    return &module->images[verdicts[0].image];
}

static void compare(const struct module *module, const struct requirements_table *table, size_t device,
                    uint32_t linker, uint32_t driver)
{
    cubinet_match match = CUBINET_MATCH_NONE;
    const cubinet_image_info *image = truth(module, table->grid->computes[device], linker, driver, &match);
    const struct requirements_choice *choice = claim(table, device, linker, driver);
    if (!image) {
        assert_null(choice);
        return;
    }
    assert_non_null(choice);
    assert_int_equal(cubinet_target_compare(choice->target, image->target), 0);
    assert_int_equal(choice->match, match);
    assert_int_equal(choice->how, match < CUBINET_MATCH_LINK    ? REQUIREMENTS_NATIVE
                                  : match == CUBINET_MATCH_LINK ? REQUIREMENTS_LINK
                                                                : REQUIREMENTS_JIT);
}

static void test_modules(void **unused)
{
    (void)unused;
    state = 7;
    for (int round = 0; round < 60; round++) {
        struct module module;
        draw_module(&module);
        struct listing listing = {.modules = &module.listing, .module_count = 1};
        struct requirements_grid grid;
        struct requirements_table table;
        assert_int_equal(requirements_grid_make(&listing, &grid), CUBINET_OK);
        assert_int_equal(requirements_table_make(&grid, &module.listing, &table), CUBINET_OK);
        for (size_t device = 0; device < grid.compute_count; device++) {
            for (size_t linker = 0; linker <= grid.release_count; linker++) {
                for (size_t driver = 0; driver <= grid.release_count; driver++) {
                    compare(&module, &table, device, linker ? grid.releases[linker - 1] : 0,
                            driver < grid.release_count ? grid.releases[driver] : 0);
                }
            }
        }
        requirements_table_free(&table);
        requirements_grid_free(&grid);
    }
}

/* An archive of random modules, and what is said of it as a whole. */
struct archive {
    struct module modules[MOST_MODULES];
    struct listing_module listed[MOST_MODULES];
    uint32_t count;
    struct requirements_grid grid;
    struct requirements_whole whole;
};

static void make_whole(struct archive *archive)
{
    struct requirements_table sum;
    struct listing listing = {.modules = archive->listed, .module_count = archive->count};
    assert_int_equal(requirements_grid_make(&listing, &archive->grid), CUBINET_OK);
    assert_int_equal(requirements_table_start(&archive->grid, &sum), CUBINET_OK);
    for (uint32_t i = 0; i < archive->count; i++) {
        struct requirements_table table;
        assert_int_equal(requirements_table_make(&archive->grid, &archive->listed[i], &table), CUBINET_OK);
        requirements_table_add(&sum, &table, i == 0);
        requirements_table_free(&table);
    }
    assert_int_equal(requirements_whole_make(&sum, &archive->whole), CUBINET_OK);
}

static void draw_archive(struct archive *archive)
{
    memset(archive, 0, sizeof(*archive));
    archive->count = 1 + draw(MOST_MODULES);
    for (uint32_t i = 0; i < archive->count; i++) {
        draw_module(&archive->modules[i]);
        archive->listed[i] = archive->modules[i].listing;
    }
    make_whole(archive);
}

static void free_archive(struct archive *archive)
{
    requirements_whole_free(&archive->whole);
    requirements_grid_free(&archive->grid);
}

static bool runs(const struct archive *archive, int compute, uint32_t linker, uint32_t driver)
{
    bool all = true;
    cubinet_match match;
    for (uint32_t i = 0; i < archive->count; i++) {
        all = all && truth(&archive->modules[i], compute, linker, driver, &match);
    }
    return all;
}

static bool runs_somehow(const struct archive *archive, int compute)
{
    bool any = runs(archive, compute, 0, 0);
    for (size_t linker = 0; linker < archive->grid.release_count; linker++) {
        any = any || runs(archive, compute, archive->grid.releases[linker], 0);
    }
    return any;
}

/* Whether every GPU of the table that runs at all does so on such a machine. */
static bool serves_all(const struct archive *archive, uint32_t linker, uint32_t driver)
{
    bool all = true;
    for (size_t device = 0; device + 1 < archive->grid.compute_count; device++) {
        int compute = archive->grid.computes[device];
        all = all && (!runs_somehow(archive, compute) || runs(archive, compute, linker, driver));
    }
    return all;
}

static void check_software(const struct archive *archive)
{
    const struct requirements_whole *whole = &archive->whole;
    assert_int_equal(whole->needs_linker, !serves_all(archive, 0, 0));
    if (whole->needs_linker && !whole->linker_from) {
        for (size_t linker = 0; linker < archive->grid.release_count; linker++) {
            assert_false(serves_all(archive, archive->grid.releases[linker], 0));
        }
        return;
    }
    assert_true(serves_all(archive, whole->linker_from, whole->driver));
    for (uint32_t linker = whole->linker_from; linker < whole->linker_before;
         linker = requirements_release_after(linker)) {
        assert_true(serves_all(archive, linker, whole->driver));
    }
    for (size_t i = 0; i < archive->grid.release_count; i++) {
        uint32_t driver = archive->grid.releases[i];
        assert_int_equal(serves_all(archive, whole->linker_from, driver),
                         whole->driver && driver >= whole->driver);
    }
}

static bool has(const struct cbn_text_list *list, int compute, const char *format)
{
    char text[64];
    snprintf(text, sizeof(text), format, compute / 10, compute % 10);
    return cbn_text_list_has(list, text);
}

static bool meets_conda(const struct requirements_terms *terms, int compute)
{
    int major;
    int minor;
    assert_int_equal(sscanf(terms->terms.items[1], "__cuda_arch >=%d.%d", &major, &minor), 2);
    return compute >= 10 * major + minor;
}

/* As the provider of NVIDIA's properties lists them for a GPU. */
static bool meets_wheel(const struct requirements_terms *terms, int compute)
{
    bool any = has(&terms->terms, compute / 10 * 10, "nvidia :: sm_arch :: %d%d_virtual");
    for (int number = compute / 10 * 10; number <= compute; number++) {
        any = any || has(&terms->terms, number, "nvidia :: sm_arch :: %d%d_real");
    }
    return any;
}

static void check_terms(const struct archive *archive, const struct requirements_terms *terms,
                        const char *driver_format, bool (*meets)(const struct requirements_terms *, int))
{
    uint32_t driver = archive->whole.driver;
    if (terms->terms.count == 0) {
        assert_true(!archive->whole.has_some || !driver ||
                    (archive->whole.needs_linker && !archive->whole.linker_from));
        return;
    }
    char text[64];
    snprintf(text, sizeof(text), driver_format, driver / 1000, driver % 1000 / 10);
    assert_string_equal(terms->terms.items[0], text);
    for (size_t device = 0; device + 1 < archive->grid.compute_count; device++) {
        int compute = archive->grid.computes[device];
        bool excepted = has(&terms->except, compute, "%d.%d");
        assert_int_equal(meets(terms, compute), runs_somehow(archive, compute) || excepted);
        assert_false(excepted && runs_somehow(archive, compute));
    }
}

static void test_archives(void **unused)
{
    (void)unused;
    state = 11;
    uint32_t some = 0;
    uint32_t linked = 0;
    for (int round = 0; round < 150; round++) {
        struct archive archive;
        struct requirements_terms conda;
        struct requirements_terms wheel;
        draw_archive(&archive);
        for (size_t device = 0; device < archive.grid.compute_count; device++) {
            assert_int_equal(archive.whole.runs[device],
                             runs_somehow(&archive, archive.grid.computes[device]));
        }
        assert_int_equal(requirements_conda(&archive.whole, &conda), CUBINET_OK);
        assert_int_equal(requirements_wheel(&archive.whole, &wheel), CUBINET_OK);
        if (archive.whole.has_some) {
            check_software(&archive);
            some++;
            linked += archive.whole.needs_linker;
        }
        check_terms(&archive, &conda, "__cuda >=%u.%u", meets_conda);
        check_terms(&archive, &wheel, "nvidia :: cuda_version_lower_bound :: %u.%u", meets_wheel);
        requirements_terms_free(&conda);
        requirements_terms_free(&wheel);
        free_archive(&archive);
    }
    assert_in_range(some, 20, 149);
    assert_in_range(linked, 5, some - 5);
}

/* Releases that selection's tables name are within the grid of an archive that names none. */
static void test_grid(void **unused)
{
    (void)unused;
    struct listing listing = {0};
    struct requirements_grid grid;
    assert_int_equal(requirements_grid_make(&listing, &grid), CUBINET_OK);
    uint32_t newest = grid.releases[grid.release_count - 1];
    for (uint32_t isa = 0; isa < 1000; isa++) {
        assert_true(cbn_ptx_isa_release(isa) < newest);
    }
    for (size_t device = 0; device < grid.compute_count; device++) {
        assert_true(cbn_tile_release(grid.computes[device]) < newest);
        assert_int_equal(cbn_release_targets(newest, grid.computes[device]),
                         cbn_release_targets(newest + 1000, grid.computes[device]));
    }
    for (size_t i = 0; i < gpu_count; i++) {
        size_t device = 0;
        while (device < grid.compute_count && grid.computes[device] != gpus[i].compute) {
            device++;
        }
        assert_true(device < grid.compute_count);
    }
    requirements_grid_free(&grid);
}

/* The majors that an archive names are in the grid, but no endless number of them. */
static void test_far_releases(void **unused)
{
    (void)unused;
    cubinet_image_info image = image_of("sm_80", 16010);
    struct listing_module module = {.images = &image, .image_count = 1};
    struct listing listing = {.modules = &module, .module_count = 1};
    struct requirements_grid grid;
    assert_int_equal(requirements_grid_make(&listing, &grid), CUBINET_OK);
    assert_int_equal(grid.releases[0], 12000);
    assert_int_equal(grid.releases[grid.release_count - 1], 17090);
    requirements_grid_free(&grid);
    image.toolkit = UINT32_MAX;
    assert_int_equal(requirements_grid_make(&listing, &grid), CUBINET_OK);
    assert_int_equal(grid.releases[grid.release_count - 1], 20090);
    requirements_grid_free(&grid);
}

/* Modules are alike only if selection treats them alike. */
static void test_alike(void **unused)
{
    (void)unused;
    cubinet_image_info a[] = {image_of("sm_80", 13000), image_of("compute_80", 13000)};
    cubinet_image_info b[] = {a[0], a[1]};
    struct listing_module module_a = {.images = a, .image_count = 2};
    struct listing_module module_b = {.images = b, .image_count = 2};
    b[0].stored_size = 99;
    b[1].digest[3] = 7;
    assert_true(requirements_are_alike(&module_a, &module_b));
    b[0].toolkit = 12090;
    assert_false(requirements_are_alike(&module_a, &module_b));
    b[0].toolkit = 13000;
    b[1].ptx_isa = 84;
    assert_false(requirements_are_alike(&module_a, &module_b));
    b[1].ptx_isa = a[1].ptx_isa;
    b[1].needed_count = 1;
    assert_false(requirements_are_alike(&module_a, &module_b));
    b[1].needed_count = 0;
    b[1].link_floor = 13000;
    assert_false(requirements_are_alike(&module_a, &module_b));
    b[1].link_floor = 0;
    b[1].target.suffix = 'a';
    assert_false(requirements_are_alike(&module_a, &module_b));
    module_b.image_count = 1;
    assert_false(requirements_are_alike(&module_a, &module_b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modules),      cmocka_unit_test(test_archives), cmocka_unit_test(test_grid),
        cmocka_unit_test(test_far_releases), cmocka_unit_test(test_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
