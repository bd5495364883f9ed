/* SPDX-License-Identifier: Apache-2.0 */
#include "slim/slim_show.h"

#include "base/json_output.h"
#include "base/text_table.h"
#include "loader/core/names/readable.h"
#include "loader/core/support/error.h"
#include "slim/slim_targets.h"

#include <stdlib.h>
#include <string.h>

enum { LABEL_SIZE = CUBINET_TARGET_NAME_SIZE + 16, LINE_NAME = 100 /* bytes of a kernel's name */ };

/* Everything that both forms tell. */
struct findings {
    struct slim_target *targets;
    size_t target_count;
    struct slim_kernels kernels;
    struct cbn_readable *readable;
};

static const struct {
    enum slim_fate fate;
    const char *text;
    const char *word;
} stays_whole[] = {
    {SLIM_FOR_NOBODY, "without an image for these GPUs", "other-gpus"},
    {SLIM_RELOCATABLE, "with code that is still to be linked", "relocatable"},
    {SLIM_NOT_READ, "of a form that is not known", "unknown"},
};
enum { STAYS_WHOLE = sizeof(stays_whole) / sizeof(stays_whole[0]) };

static cubinet_status find(const struct slim_shown *shown, struct findings *findings)
{
    *findings = (struct findings){.readable = cbn_readable_new()};
    cubinet_status status = findings->readable ? CUBINET_OK : cbn_error_memory();
    if (!status) {
        status = slim_targets_find(shown->plan, &findings->targets, &findings->target_count);
    }
    return status ? status : slim_kernels_find(shown->plan, &findings->kernels);
}

static void findings_free(struct findings *findings)
{
    free(findings->targets);
    slim_kernels_free(&findings->kernels);
    cbn_readable_free(findings->readable);
}

static const char *target_label(const struct slim_target *target, char label[LABEL_SIZE])
{
    if (target->target.kind == 0) {
        snprintf(label, LABEL_SIZE, "kind 0x%x", (unsigned)target->code);
        return label;
    }
    return cubinet_target_name(target->target, label);
}

static cubinet_status print_targets(const struct slim_shown *shown, const struct findings *findings)
{
    struct text_table table = {.alignment = shown->device_count > 0 ? "lrrrr" : "lrrr"};
    text_table_add(&table, "TARGET");
    text_table_add(&table, "IMAGES");
    text_table_add(&table, "SIZE");
    text_table_add(&table, "UNPACKED");
    if (shown->device_count > 0) {
        text_table_add(&table, "STAYS");
    }
    for (size_t i = 0; i < findings->target_count; i++) {
        const struct slim_target *target = &findings->targets[i];
        char label[LABEL_SIZE];
        char size[SIZE_TEXT_SIZE];
        text_table_add(&table, "%s", target_label(target, label));
        text_table_add(&table, "%zu", target->images);
        text_table_add(&table, "%s", size_text(target->bytes, size));
        text_table_add(&table, "%s", size_text(target->raw_bytes, size));
        if (shown->device_count > 0) {
            text_table_add(&table, "%s", target->stay_images ? size_text(target->stay_bytes, size) : "-");
        }
    }
    return text_table_print(&table, 0, stdout);
}

static const char *kernel_name(const struct findings *findings, const struct slim_kernel *kernel)
{
    const char *readable = cbn_readable_name(findings->readable, kernel->name);
    return readable ? readable : kernel->name;
}

/* A name in a line: of a long one, its start and its end. */
static void add_name(struct text_table *table, const char *name)
{
    size_t size = strlen(name);
    if (size <= LINE_NAME) {
        text_table_add(table, "%s", name);
        return;
    }
    size_t start = LINE_NAME * 2 / 3;
    const char *end = name + size - (LINE_NAME - start - strlen("..."));
    text_table_add(table, "%.*s...%s", (int)start, name, end);
}

static cubinet_status print_kernels(const struct slim_shown *shown, const struct findings *findings)
{
    const struct slim_kernels *kernels = &findings->kernels;
    size_t listed = kernels->count < shown->most_kernels ? kernels->count : shown->most_kernels;
    struct text_table table = {.alignment = shown->device_count > 0 ? "rrrl" : "rrl"};
    if (listed == 0) {
        return CUBINET_OK;
    }
    printf("\n");
    text_table_add(&table, "SIZE");
    text_table_add(&table, "IMAGES");
    if (shown->device_count > 0) {
        text_table_add(&table, "STAYS");
    }
    text_table_add(&table, "KERNEL (%zu of %zu)", listed, kernels->count);
    for (size_t i = 0; i < listed; i++) {
        const struct slim_kernel *kernel = &kernels->items[i];
        char size[SIZE_TEXT_SIZE];
        text_table_add(&table, "%s", size_text(kernel->bytes, size));
        text_table_add(&table, "%zu", kernel->images);
        if (shown->device_count > 0) {
            text_table_add(&table, "%s", kernel->stay_bytes ? size_text(kernel->stay_bytes, size) : "-");
        }
        add_name(&table, kernel_name(findings, kernel));
    }
    return text_table_print(&table, 0, stdout);
}

static const char *fatbins(size_t count)
{
    return count == 1 ? "fatbin" : "fatbins";
}

static void print_rest(const struct slim_shown *shown)
{
    const struct slim_plan *plan = shown->plan;
    char size[SIZE_TEXT_SIZE];
    for (size_t i = 0; i < STAYS_WHOLE; i++) {
        enum slim_fate fate = stays_whole[i].fate;
        if (plan->fates[fate] > 0) {
            printf("unchanged: %zu %s %s, %s\n", plan->fates[fate], fatbins(plan->fates[fate]),
                   stays_whole[i].text, size_text(plan->fate_bytes[fate], size));
        }
    }
    if (plan->file.linked_later > 0) {
        printf("unchanged: %s in __nv_relfatbin, which may be linked when the program starts\n",
               size_text(plan->file.linked_later, size));
    }
    if (plan->file.foreign > 0) {
        printf("unchanged: %s among the fatbins that is something else\n",
               size_text(plan->file.foreign, size));
    }
}

static void print_sums(const struct slim_shown *shown)
{
    char size[SIZE_TEXT_SIZE];
    char code[SIZE_TEXT_SIZE];
    const struct slim_plan *plan = shown->plan;
    printf("%s: %s, of which %s in %zu %s\n", shown->path, size_text(plan->file.elf.size, size),
           size_text(slim_plan_bytes(plan, false), code), plan->file.fatbin_count,
           fatbins(plan->file.fatbin_count));
    if (slim_plan_zeros(plan) > 0) {
        printf("slimmed: %s of device code, and %s of zeros", size_text(slim_plan_bytes(plan, true), code),
               size_text(slim_plan_zeros(plan), size));
        if (shown->layout->why_kept) {
            printf("; --cut cuts nothing: %s\n", shown->layout->why_kept);
        } else {
            printf("; with --cut, a file of %s\n", size_text(shown->layout->size, size));
        }
    }
}

cubinet_status slim_show(const struct slim_shown *shown)
{
    struct findings findings;
    cubinet_status status = find(shown, &findings);
    if (!status) {
        print_sums(shown);
        print_rest(shown);
        printf("\n");
        status = print_targets(shown, &findings);
    }
    status = status ? status : print_kernels(shown, &findings);
    findings_free(&findings);
    return status;
}

static json_t *targets_json(const struct findings *findings)
{
    json_t *list = json_array();
    for (size_t i = 0; i < findings->target_count; i++) {
        const struct slim_target *target = &findings->targets[i];
        char label[LABEL_SIZE];
        json_array_append_new(
            list, json_pack("{s:s, s:I, s:I, s:I, s:I, s:I}", "target", target_label(target, label), "images",
                            (json_int_t)target->images, "bytes", (json_int_t)target->bytes, "unpacked_bytes",
                            (json_int_t)target->raw_bytes, "images_after", (json_int_t)target->stay_images,
                            "bytes_after", (json_int_t)target->stay_bytes));
    }
    return list;
}

static json_t *kernels_json(const struct slim_shown *shown, const struct findings *findings)
{
    json_t *list = json_array();
    for (size_t i = 0; i < findings->kernels.count && i < shown->most_kernels; i++) {
        const struct slim_kernel *kernel = &findings->kernels.items[i];
        json_array_append_new(list, json_pack("{s:o, s:o, s:I, s:I, s:I}", "lowered",
                                              json_output_text(kernel->name), "name",
                                              json_output_text(kernel_name(findings, kernel)), "images",
                                              (json_int_t)kernel->images, "bytes", (json_int_t)kernel->bytes,
                                              "bytes_after", (json_int_t)kernel->stay_bytes));
    }
    return list;
}

static json_t *devices_json(const struct slim_shown *shown)
{
    json_t *list = json_array();
    for (size_t i = 0; i < shown->device_count; i++) {
        json_array_append_new(list, json_pack("{s:o, s:I}", "gpu", json_output_text(shown->devices[i]),
                                              "fatbins_without", (json_int_t)shown->plan->without[i]));
    }
    return list;
}

static json_t *left_json(const struct slim_plan *plan)
{
    json_t *left = json_object();
    for (size_t i = 0; i < STAYS_WHOLE; i++) {
        enum slim_fate fate = stays_whole[i].fate;
        json_object_set_new(left, stays_whole[i].word,
                            json_pack("{s:I, s:I}", "fatbins", (json_int_t)plan->fates[fate], "bytes",
                                      (json_int_t)plan->fate_bytes[fate]));
    }
    json_object_set_new(left, "relfatbin_bytes", json_integer((json_int_t)plan->file.linked_later));
    json_object_set_new(left, "foreign_bytes", json_integer((json_int_t)plan->file.foreign));
    return left;
}

cubinet_status slim_show_json(const struct slim_shown *shown)
{
    const struct slim_plan *plan = shown->plan;
    const char *why = shown->layout->why_kept;
    struct findings findings;
    cubinet_status status = find(shown, &findings);
    if (!status) {
        status = json_output_print(json_pack(
            "{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "file",
            json_output_text(shown->path), "bytes", (json_int_t)plan->file.elf.size, "cut_bytes",
            (json_int_t)shown->layout->size, "zero_bytes", (json_int_t)slim_plan_zeros(plan), "fatbins",
            (json_int_t)plan->file.fatbin_count, "fatbin_bytes", (json_int_t)slim_plan_bytes(plan, false),
            "fatbin_bytes_after", (json_int_t)slim_plan_bytes(plan, true), "not_cut",
            why ? json_string(why) : json_null(), "gpus", devices_json(shown), "left", left_json(plan),
            "targets", targets_json(&findings), "kernels", kernels_json(shown, &findings)));
    }
    findings_free(&findings);
    return status;
}
