/* SPDX-License-Identifier: Apache-2.0 */
#include "base/command.h"
#include "command/commands.h"

#include "base/json_output.h"
#include "base/text_table.h"
#include "loader/core/support/error.h"
#include "show/coverage.h"
#include "show/gpus.h"
#include "show/shown_archive.h"

#include <stdlib.h>
#include <string.h>

static void append_targets(struct buffer *buffer, const struct listing_module *module)
{
    for (uint32_t i = 0; i < module->image_count; i++) {
        char name[CUBINET_TARGET_NAME_SIZE];
        buffer_printf(buffer, "%s%s", i ? " " : "", cubinet_target_name(module->images[i].target, name));
    }
}

static cubinet_status print_modules(const struct listing *listing)
{
    struct text_table table = {.alignment = "lrrl"};
    text_table_add(&table, "MODULE");
    text_table_add(&table, "KERNELS");
    text_table_add(&table, "SIZE");
    text_table_add(&table, "TARGETS");
    for (uint32_t i = 0; i < listing->module_count; i++) {
        const struct listing_module *module = &listing->modules[i];
        char size[SIZE_TEXT_SIZE];
        struct buffer targets = {0};
        append_targets(&targets, module);
        text_table_add(&table, "%s", module->name);
        text_table_add(&table, "%u", listing_kernels(module));
        text_table_add(&table, "%s", size_text(listing_stored_bytes(module), size));
        text_table_add(&table, "%s", targets.failed ? "" : targets.data);
        table.cells.failed = table.cells.failed || targets.failed;
        buffer_free(&targets);
    }
    return text_table_print(&table, 0, stdout);
}

static void print_summary(const struct listing *listing)
{
    uint64_t images = 0;
    uint64_t stored = 0;
    uint64_t raw = 0;
    for (uint32_t i = 0; i < listing->module_count; i++) {
        images += listing->modules[i].image_count;
        stored += listing_stored_bytes(&listing->modules[i]);
        raw += listing_raw_bytes(&listing->modules[i]);
    }
    char size[SIZE_TEXT_SIZE];
    printf("\n%u %s, %llu %s, %s", listing->module_count, listing->module_count == 1 ? "module" : "modules",
           (unsigned long long)images, images == 1 ? "image" : "images",
           size_text(listing->archive.archive_size, size));
    if (stored < raw) {
        printf(" (%s decompressed)", size_text(raw, size));
    }
    if (listing->archive.archive_version[0]) {
        printf("; archive version %s", listing->archive.archive_version);
    }
    putchar('\n');
}

/* Modules that are covered alike share a row of the matrix. */
struct group {
    const struct listing_module *first;
    uint32_t count;
    char (*words)[COVERAGE_WORD_SIZE]; /* one for each generation */
};

struct groups {
    struct group *groups;
    uint32_t count;
};

static void groups_free(struct groups *groups)
{
    for (uint32_t i = 0; i < groups->count; i++) {
        free(groups->groups[i].words);
    }
    free(groups->groups);
}

static cubinet_status read_coverage(const struct listing_module *module, struct group *out_group)
{
    struct group group = {
        .first = module, .count = 1, .words = calloc(gpu_generation_count, sizeof(*group.words))};
    cubinet_status status = group.words ? CUBINET_OK : cbn_error_memory();
    for (size_t i = 0; !status && i < gpu_generation_count; i++) {
        status = coverage_word(module, gpu_generations[i].compute, group.words[i]);
    }
    if (status) {
        free(group.words);
        return status;
    }
    *out_group = group;
    return CUBINET_OK;
}

static bool same_words(const struct group *a, const struct group *b)
{
    return memcmp(a->words, b->words, gpu_generation_count * sizeof(*a->words)) == 0;
}

/* Takes over the group. */
static void add_group(struct groups *groups, struct group group)
{
    for (uint32_t i = 0; i < groups->count; i++) {
        if (same_words(&groups->groups[i], &group)) {
            groups->groups[i].count++;
            free(group.words);
            return;
        }
    }
    groups->groups[groups->count++] = group;
}

static cubinet_status group_modules(const struct listing *listing, struct groups *groups)
{
    groups->groups = calloc((size_t)listing->module_count + 1, sizeof(*groups->groups));
    cubinet_status status = groups->groups ? CUBINET_OK : cbn_error_memory();
    for (uint32_t i = 0; !status && i < listing->module_count; i++) {
        struct group group;
        status = read_coverage(&listing->modules[i], &group);
        if (!status) {
            add_group(groups, group);
        }
    }
    return status;
}

static void add_group_name(struct text_table *table, const struct group *group, const struct listing *listing)
{
    if (group->count == 1) {
        text_table_add(table, "%s", group->first->name);
    } else if (group->count == listing->module_count) {
        text_table_add(table, "all modules");
    } else {
        text_table_add(table, "%s and %u more", group->first->name, group->count - 1);
    }
}

enum { MAX_COLUMNS = 32 };

static cubinet_status print_matrix(const struct groups *groups, const struct listing *listing)
{
    char alignment[MAX_COLUMNS + 2] = "l";
    memset(alignment + 1, 'r', gpu_generation_count);
    struct text_table table = {.alignment = alignment};
    text_table_add(&table, "COVERAGE");
    for (size_t i = 0; i < gpu_generation_count; i++) {
        text_table_add(&table, "%s", gpu_generations[i].name);
    }
    text_table_add(&table, "%s", "");
    for (size_t i = 0; i < gpu_generation_count; i++) {
        int compute = gpu_generations[i].compute;
        text_table_add(&table, "%d.%d", compute / 10, compute % 10);
    }
    for (uint32_t i = 0; i < groups->count; i++) {
        add_group_name(&table, &groups->groups[i], listing);
        for (size_t j = 0; j < gpu_generation_count; j++) {
            text_table_add(&table, "%s", groups->groups[i].words[j]);
        }
    }
    return text_table_print(&table, 0, stdout);
}

/* They are rare, and are explained where there are some. */
static bool has_tile_words(const struct groups *groups)
{
    for (uint32_t i = 0; i < groups->count; i++) {
        for (size_t j = 0; j < gpu_generation_count; j++) {
            if (strncmp(groups->groups[i].words[j], "tile", strlen("tile")) == 0) {
                return true;
            }
        }
    }
    return false;
}

static cubinet_status print_coverage(const struct listing *listing)
{
    struct groups groups = {0};
    cubinet_status status = group_modules(listing, &groups);
    if (!status) {
        putchar('\n');
        status = print_matrix(&groups, listing);
        printf("  90: sm_90 code; ptx90: PTX compiled by the driver; lto90: linked by nvJitLink; %s-: does "
               "not run\n",
               has_tile_words(&groups) ? "tile133: Tile IR\n  13.3 compiled by the driver; " : "");
    }
    groups_free(&groups);
    return status;
}

static cubinet_status print(const struct shown_archive *shown)
{
    cubinet_status status = print_modules(&shown->listing);
    if (!status) {
        status = print_coverage(&shown->listing);
    }
    if (!status) {
        print_summary(&shown->listing);
    }
    return status;
}

static json_t *image_json(const cubinet_image_info *image)
{
    return json_pack("{s:o, s:s, s:I, s:I}", "target", json_output_target(image->target), "kind",
                     listing_kind(image->target.kind), "stored_bytes", (json_int_t)image->stored_size,
                     "bytes", (json_int_t)image->raw_size);
}

/* An object with the target that each generation gets, or null. */
static cubinet_status coverage_json(const struct listing_module *module, json_t *out_object)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < gpu_generation_count; i++) {
        int compute = gpu_generations[i].compute;
        cubinet_device_profile device = coverage_device(module, compute);
        struct ranking ranking;
        status = ranking_make(module, &device, NULL, &ranking);
        if (status) {
            return status;
        }
        char name[16];
        snprintf(name, sizeof(name), "%d.%d", compute / 10, compute % 10);
        const cubinet_verdict *best = ranking.verdicts;
        json_object_set_new(out_object, name,
                            ranking.candidates ? json_output_target(module->images[best->image].target)
                                               : json_null());
        ranking_free(&ranking);
    }
    return status;
}

static cubinet_status module_json(const struct listing_module *module, json_t *modules)
{
    json_t *images = json_array();
    for (uint32_t i = 0; i < module->image_count; i++) {
        json_array_append_new(images, image_json(&module->images[i]));
    }
    json_t *coverage = json_object();
    cubinet_status status = coverage_json(module, coverage);
    json_t *object =
        json_pack("{s:o, s:I, s:I, s:o, s:o}", "module", json_output_text(module->name), "kernels",
                  (json_int_t)listing_kernels(module), "stored_bytes",
                  (json_int_t)listing_stored_bytes(module), "images", images, "coverage", coverage);
    json_array_append_new(modules, object);
    return status;
}

static cubinet_status print_json(const struct shown_archive *shown)
{
    json_t *modules = json_array();
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < shown->listing.module_count; i++) {
        status = module_json(&shown->listing.modules[i], modules);
    }
    json_t *document = json_output_archive(&shown->listing.archive);
    json_object_set_new(document, "modules", modules);
    if (status) {
        json_decref(document);
        return status;
    }
    return json_output_print(document);
}

static const struct shown_command shown = {
    .name = "list",
    .help =
        {
            .usage = "list ARCHIVE [OPTIONS]",
            .about = "Lists the modules of an archive, one on a line: kernels, stored size, targets. Then "
                     "shows which image\neach GPU generation gets.",
            .example = "cubinet list kernels.cubinet",
            .options = shown_options,
        },
    .print = print,
    .print_json = print_json,
};

static int run(int argc, char **argv)
{
    return shown_command_run(&shown, argc, argv);
}

const struct command cmd_list = {"list", "list an archive's modules and the GPUs they support", run};
