/* SPDX-License-Identifier: Apache-2.0 */
/* The golden table of selection: every target that a CUDA 12 or 13 toolkit makes, on every compute
 * capability, with every driver and nvJitLink.
 *
 *     test_selection_table tests/golden/selection.txt            compares
 *     test_selection_table --bless tests/golden/selection.txt    writes
 *
 * The rules ask four things that have nothing to do with each other, so that four small tables say what a
 * product of millions of lines would; that they do is checked for the whole product. */
#include "select_cases.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const uint32_t releases[] = {12000, 12010, 12020, 12030, 12040, 12050, 12060, 12070,
                                    12080, 12090, 13000, 13010, 13020, 13030, 13040, 13050};

/* What toolkits make: from the first release to the last, both included. */
static const struct target {
    const char *name; /* without prefix */
    uint32_t first, last;
} targets[] = {
    {"50", 12000, 12090},   {"52", 12000, 12090},   {"53", 12000, 12090},   {"60", 12000, 12090},
    {"61", 12000, 12090},   {"62", 12000, 12090},   {"70", 12000, 12090},   {"72", 12000, 12090},
    {"75", 12000, 13050},   {"80", 12000, 13050},   {"86", 12000, 13050},   {"87", 12000, 13050},
    {"88", 13000, 13050},   {"89", 12000, 13050},   {"90", 12000, 13050},   {"90a", 12000, 13050},
    {"100", 12080, 13050},  {"100a", 12080, 13050}, {"100f", 12090, 13050}, {"101", 12080, 12090},
    {"101a", 12080, 12090}, {"101f", 12090, 12090}, {"103", 12090, 13050},  {"103a", 12090, 13050},
    {"103f", 12090, 13050}, {"107", 13040, 13050},  {"107a", 13040, 13050}, {"107f", 13040, 13050},
    {"110", 13000, 13050},  {"110a", 13000, 13050}, {"110f", 13000, 13050}, {"120", 12080, 13050},
    {"120a", 12080, 13050}, {"120f", 12090, 13050}, {"121", 12090, 13050},  {"121a", 12090, 13050},
    {"121f", 12090, 13050},
};

static const char *const prefixes[] = {"sm_", "compute_", "lto_"};

enum {
    TARGET_REASONS = CUBINET_REASON_OTHER_MAJOR | CUBINET_REASON_NEWER_MINOR | CUBINET_REASON_TEGRA |
                     CUBINET_REASON_ARCH_SPECIFIC | CUBINET_REASON_FAMILY_SPECIFIC |
                     CUBINET_REASON_NEWER_TARGET
};

static cubinet_image_info make_image(const char *prefix, const char *number, uint32_t from)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    snprintf(name, sizeof(name), "%s%s", prefix, number);
    return image_of(name, from);
}

static cubinet_verdict judge(const cubinet_image_info *image, int compute, uint32_t driver, uint32_t linker)
{
    cubinet_device_profile device = device_of(compute, driver, linker);
    cubinet_verdict verdict;
    cubinet_images_rank(image, 1, &device, NULL, &verdict);
    return verdict;
}

/* The part of the reasons that a target and a compute capability give. */
static uint32_t target_reasons(const char *prefix, const char *number, int compute)
{
    cubinet_image_info image = make_image(prefix, number, 12000);
    return judge(&image, compute, 0, 12000).reasons & TARGET_REASONS;
}

/* Reasons that have nothing to do with targets: on 9.0, code for 75 or 90 has none. */
static uint32_t cubin_reasons(uint32_t from, uint32_t driver)
{
    cubinet_image_info image = image_of("sm_90", from);
    return judge(&image, 90, driver, 0).reasons;
}

static uint32_t ptx_reasons(uint32_t from, uint32_t driver)
{
    cubinet_image_info image = image_of("compute_75", from);
    return judge(&image, 90, driver, 0).reasons;
}

static uint32_t floor_reasons(uint32_t floor, uint32_t linker)
{
    cubinet_image_info image = image_of("lto_75", floor);
    return judge(&image, 90, 0, linker).reasons;
}

static uint32_t linker_reasons(uint32_t linker, uint32_t driver)
{
    cubinet_image_info image = image_of("lto_75", linker);
    return judge(&image, 90, driver, linker).reasons;
}

static uint32_t finished_reasons(uint32_t linker, int compute)
{
    cubinet_image_info image = image_of("lto_50", linker);
    return judge(&image, compute, 0, linker).reasons;
}

/* One character for a verdict. */
static char code_of(const char *prefix, const char *number, int compute)
{
    uint32_t reasons = target_reasons(prefix, number, compute);
    switch (reasons) {
    case CUBINET_REASON_OTHER_MAJOR:
        return '.';
    case CUBINET_REASON_NEWER_MINOR:
        return 'm';
    case CUBINET_REASON_TEGRA:
        return 't';
    case CUBINET_REASON_NEWER_MINOR | CUBINET_REASON_TEGRA:
        return 'b';
    case CUBINET_REASON_ARCH_SPECIFIC:
        return 'x';
    case CUBINET_REASON_FAMILY_SPECIFIC:
        return 'o';
    case CUBINET_REASON_NEWER_TARGET:
        return 'n';
    case 0:
        break;
    default:
        return '?';
    }
    if (prefix != prefixes[0]) {
        return 'Y';
    }
    cubinet_image_info image = make_image(prefix, number, 12000);
    static const char matches[] = {'?', 'A', 'F', 'E', 'S'};
    return matches[judge(&image, compute, 0, 0).match];
}

static void print_computes(FILE *out, const char *corner)
{
    fprintf(out, "%-14s", corner);
    for (const int *compute = all_computes; *compute; compute++) {
        fprintf(out, " %2d.%d", *compute / 10, *compute % 10);
    }
    fputc('\n', out);
}

static void print_targets(FILE *out, const char *prefix, const char *title)
{
    fprintf(out, "\n%s\n\n", title);
    print_computes(out, "");
    for (size_t i = 0; i < COUNT(targets); i++) {
        char name[CUBINET_TARGET_NAME_SIZE];
        snprintf(name, sizeof(name), "%s%s", prefix, targets[i].name);
        fprintf(out, "%-14s", name);
        for (const int *compute = all_computes; *compute; compute++) {
            fprintf(out, "%5c", code_of(prefix, targets[i].name, *compute));
        }
        fputc('\n', out);
    }
}

static char code_of_release(uint32_t reasons)
{
    switch (reasons) {
    case 0:
        return 'Y';
    case CUBINET_REASON_DRIVER_TOO_OLD:
        return 'd';
    case CUBINET_REASON_PTX_ISA:
        return 'i';
    case CUBINET_REASON_LINKER_TOO_OLD:
        return 'l';
    case CUBINET_REASON_LINKER_MAJOR:
        return 'j';
    default:
        return '?';
    }
}

static void print_releases(FILE *out, const char *title, const char *corner,
                           uint32_t (*reasons_of)(uint32_t row, uint32_t column))
{
    fprintf(out, "\n%s\n\n%-14s", title, corner);
    for (size_t i = 0; i < COUNT(releases); i++) {
        fprintf(out, " %u.%u", releases[i] / 1000, releases[i] % 1000 / 10);
    }
    fputc('\n', out);
    for (size_t i = 0; i < COUNT(releases); i++) {
        fprintf(out, "%u.%u%10s", releases[i] / 1000, releases[i] % 1000 / 10, "");
        for (size_t j = 0; j < COUNT(releases); j++) {
            fprintf(out, "%5c", code_of_release(reasons_of(releases[i], releases[j])));
        }
        fputc('\n', out);
    }
}

static void print_finished(FILE *out)
{
    fprintf(out, "\nnvJitLink (rows) for compute capabilities: f where it makes no code for them\n\n");
    print_computes(out, "nvJitLink");
    for (size_t i = 0; i < COUNT(releases); i++) {
        fprintf(out, "%u.%u%10s", releases[i] / 1000, releases[i] % 1000 / 10, "");
        for (const int *compute = all_computes; *compute; compute++) {
            uint32_t reasons = finished_reasons(releases[i], *compute);
            fprintf(out, "%5c", reasons == CUBINET_REASON_LINKER_FINISHED ? 'f' : reasons ? '?' : 'Y');
        }
        fputc('\n', out);
    }
}

/* Tile IR of 13.1, whose version no driver refuses that has a compiler for the device. */
static void print_tile_devices(FILE *out)
{
    fprintf(out, "\nDrivers (rows) that compile Tile IR for devices: c where they don't\n\n");
    print_computes(out, "driver");
    for (size_t i = 0; i < COUNT(releases); i++) {
        cubinet_image_info image = image_of("tile_131", 0);
        fprintf(out, "%u.%u%10s", releases[i] / 1000, releases[i] % 1000 / 10, "");
        for (const int *compute = all_computes; *compute; compute++) {
            uint32_t reasons = judge(&image, *compute, releases[i], 0).reasons;
            fprintf(out, "%5c", reasons & CUBINET_REASON_TILE_DEVICE ? 'c' : reasons ? '?' : 'Y');
        }
        fputc('\n', out);
    }
}

static void print_tile_versions(FILE *out)
{
    static const char *const versions[] = {"tile_131", "tile_132", "tile_133", "tile_134", "tile_135"};
    fprintf(out, "\nTile IR (rows) on drivers: v where they don't know its version\n\n%-14s", "");
    for (size_t i = 0; i < COUNT(releases); i++) {
        fprintf(out, " %u.%u", releases[i] / 1000, releases[i] % 1000 / 10);
    }
    for (size_t i = 0; i < COUNT(versions); i++) {
        cubinet_image_info image = image_of(versions[i], 0);
        fprintf(out, "\n%-14s", versions[i]);
        for (size_t j = 0; j < COUNT(releases); j++) {
            uint32_t reasons = judge(&image, 100, releases[j], 0).reasons;
            fprintf(out, "%5c", reasons & CUBINET_REASON_TILE_VERSION ? 'v' : reasons ? '?' : 'Y');
        }
    }
    fputc('\n', out);
}

/* An archive's images. */
struct collection {
    cubinet_image_info images[3 * COUNT(targets)];
    size_t count;
};

static void collect(struct collection *collection, const char *prefix, uint32_t from)
{
    for (size_t i = 0; i < COUNT(targets); i++) {
        if (targets[i].first <= from && from <= targets[i].last) {
            collection->images[collection->count++] = make_image(prefix, targets[i].name, from);
        }
    }
}

static void choose(const struct collection *collection, int compute, uint32_t release, bool link, char *name)
{
    cubinet_device_profile device = device_of(compute, release, link ? release : 0);
    cubinet_verdict verdicts[COUNT(collection->images)];
    size_t candidates = cubinet_images_rank(collection->images, collection->count, &device, NULL, verdicts);
    snprintf(name, CUBINET_TARGET_NAME_SIZE, "-");
    if (candidates > 0) {
        cubinet_target_name(collection->images[verdicts[0].image].target, name);
    }
}

/* For each compute capability what is chosen, from which driver on. `link`: nvJitLink is the driver's age. */
static void print_choices(FILE *out, const char *title, const struct collection *collection, bool link)
{
    fprintf(out, "\n%s\n\n", title);
    for (const int *compute = all_computes; *compute; compute++) {
        fprintf(out, "%2d.%d ", *compute / 10, *compute % 10);
        char before[CUBINET_TARGET_NAME_SIZE] = "";
        for (size_t i = 0; i < COUNT(releases); i++) {
            char name[CUBINET_TARGET_NAME_SIZE];
            choose(collection, *compute, releases[i], link, name);
            if (strcmp(name, before) != 0) {
                fprintf(out, "  %u.%u: %s", releases[i] / 1000, releases[i] % 1000 / 10, name);
            }
            memcpy(before, name, sizeof(before));
        }
        fputc('\n', out);
    }
}

static void print_all_choices(FILE *out)
{
    struct collection collection = {.count = 0};
    collect(&collection, "sm_", 12000);
    collect(&collection, "compute_", 12000);
    print_choices(out, "Chosen, by driver, among every cubin and PTX that CUDA 12.0 makes", &collection,
                  false);
    collection.count = 0;
    collect(&collection, "sm_", 12090);
    collect(&collection, "compute_", 12090);
    print_choices(out, "Chosen, by driver, among every cubin and PTX that CUDA 12.9 makes", &collection,
                  false);
    collection.count = 0;
    collect(&collection, "sm_", 13000);
    collect(&collection, "compute_", 13000);
    print_choices(out, "Chosen, by driver, among every cubin and PTX that CUDA 13.0 makes", &collection,
                  false);
    collection.count = 0;
    collect(&collection, "sm_", 12090);
    collect(&collection, "sm_", 13040);
    collect(&collection, "compute_", 13040);
    print_choices(out, "Chosen, by driver, among every cubin of CUDA 12.9 and of 13.4, and every PTX of 13.4",
                  &collection, false);
    collection =
        (struct collection){.images = {image_of("lto_75", 12090), image_of("compute_80", 13000)}, .count = 2};
    print_choices(out,
                  "Chosen, by driver and an nvJitLink of its age, of lto_75 from CUDA 12.9 and compute_80 "
                  "from 13.0",
                  &collection, true);
}

/* The images of one target from one release. */
struct made {
    const struct target *target;
    uint32_t from;
    cubinet_image_info cubin, ptx, ltoir;
};

/* Whether the tables say what selection says of three images on one device. */
static bool tables_agree(const struct made *made, int compute, uint32_t driver, uint32_t linker)
{
    uint32_t binary = target_reasons("sm_", made->target->name, compute);
    uint32_t reached = target_reasons("compute_", made->target->name, compute);
    return judge(&made->cubin, compute, driver, linker).reasons ==
               (binary | cubin_reasons(made->from, driver)) &&
           judge(&made->ptx, compute, driver, linker).reasons ==
               (reached | ptx_reasons(made->from, driver)) &&
           judge(&made->ltoir, compute, driver, linker).reasons ==
               (reached | floor_reasons(made->from, linker) | finished_reasons(linker, compute) |
                linker_reasons(linker, driver)) &&
           judge(&made->ltoir, compute, driver, 0).reasons == (reached | CUBINET_REASON_NO_LINKER);
}

/* On every device with every pair of driver and nvJitLink. Returns how many combinations that is. */
static size_t check_made(const struct made *made)
{
    size_t combinations = 0;
    for (const int *compute = all_computes; *compute; compute++) {
        for (size_t i = 0; i < COUNT(releases) * COUNT(releases); i++) {
            uint32_t driver = releases[i / COUNT(releases)];
            uint32_t linker = releases[i % COUNT(releases)];
            if (!tables_agree(made, *compute, driver, linker)) {
                fprintf(stderr, "%s of CUDA %u on %d, driver %u, nvJitLink %u: not what the tables say\n",
                        made->target->name, made->from, *compute, driver, linker);
                exit(1);
            }
            combinations++;
        }
    }
    return combinations;
}

static size_t check_product(void)
{
    size_t combinations = 0;
    for (size_t i = 0; i < COUNT(targets) * COUNT(releases); i++) {
        struct made made = {.target = &targets[i / COUNT(releases)], .from = releases[i % COUNT(releases)]};
        if (made.from >= made.target->first && made.from <= made.target->last) {
            made.cubin = make_image("sm_", made.target->name, made.from);
            made.ptx = make_image("compute_", made.target->name, made.from);
            made.ltoir = make_image("lto_", made.target->name, made.from);
            combinations += check_made(&made);
        }
    }
    return combinations;
}

static char *make_table(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        abort();
    }
    fprintf(
        out,
        "# What selection says of every target that a CUDA 12 or 13 toolkit makes. Made by\n"
        "# tests/unit/loader/core/select/test_selection_table.c; docs/reference/selection.md has the rules.\n"
        "#\n"
        "# Candidates: A suffix a, F family, E exact, S same major, Y others. No candidates: . another "
        "major,\n"
        "# m newer minor, t Tegra or 8.8, b both, x suffix a of another, o outside the family, n newer "
        "target,\n"
        "# d driver too old, i PTX ISA, l nvJitLink too old, j nvJitLink of another major.\n"
        "#\n"
        "# An image is a candidate if no table has a reason against it; checked for each kind in\n"
        "# all %zu combinations of image, compute capability, driver and nvJitLink.\n",
        check_product());
    print_targets(out, prefixes[0], "Cubins (rows) on devices");
    print_targets(out, prefixes[1], "PTX (rows) on devices");
    print_targets(out, prefixes[2], "LTO-IR (rows) on devices");
    print_releases(out, "Cubins by the CUDA release that made them (rows), on drivers", "made by",
                   cubin_reasons);
    print_releases(out, "PTX by the CUDA release that made it (rows), on drivers", "made by", ptx_reasons);
    print_releases(out, "LTO-IR by its floor (rows), with nvJitLinks", "floor", floor_reasons);
    print_releases(out, "nvJitLink (rows), on drivers", "nvJitLink", linker_reasons);
    print_finished(out);
    print_all_choices(out);
    print_tile_devices(out);
    print_tile_versions(out);
    if (fclose(out)) {
        abort();
    }
    return text;
}

static int bless(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file)) {
        perror(path);
        return 1;
    }
    return 0;
}

static int compare(const char *path, const char *text)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        return 1;
    }
    char line[400];
    int number = 1;
    for (; fgets(line, sizeof(line), file); number++) {
        size_t length = strlen(line);
        if (strncmp(text, line, length) != 0) {
            break;
        }
        text += length;
    }
    bool at_end = feof(file);
    fclose(file);
    bool same = at_end && !*text;
    if (!same) {
        fprintf(stderr, "%s:%d differs:\n- %s+ %.*s\nIf that is meant: test_selection_table --bless %s\n",
                path, number, at_end ? "(end)\n" : line, (int)strcspn(text, "\n"), text, path);
    }
    return !same;
}

int main(int argc, char **argv)
{
    bool blessing = argc == 3 && strcmp(argv[1], "--bless") == 0;
    if (argc != 2 && !blessing) {
        fprintf(stderr, "usage: test_selection_table [--bless] selection.txt\n");
        return 2;
    }
    char *text = make_table();
    int failed = blessing ? bless(argv[2], text) : compare(argv[1], text);
    free(text);
    return failed;
}
