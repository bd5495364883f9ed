/* SPDX-License-Identifier: Apache-2.0 */
#include "base/command.h"
#include "command/commands.h"

#include "archive/output_check.h"
#include "command/edit.h"
#include "command/slice_marks.h"
#include "command/slice_parts.h"
#include "command/slice_rest.h"
#include "command/slice_used.h"
#include "loader/core/support/error.h"
#include "loader/core/support/text_list.h"
#include "show/coverage.h"
#include "show/explain.h"
#include "show/explain_devices.h"

#include <stdlib.h>
#include <string.h>

enum { DEVICE = 1, TARGET, KIND, MODULE, USED, REST, DRY_RUN };

static const struct option options[] = {
    {DEVICE, "device", 0, "GPU",
     "images that this GPU gets: a compute capability (9.0) or a\nname (h100). May be repeated", false},
    {TARGET, "target", 0, "NAME", "images for this target, such as sm_90a. May be repeated", false},
    {KIND, "kind", 0, "KIND", "images of this kind: cubin, ptx, ltoir, tileir or optixir. May\nbe repeated",
     false},
    {MODULE, "module", 0, "NAME", "images of this module. May be repeated", false},
    {USED, "used", 0, "RECORD",
     "what this record of use names (CUBINET_RECORD), and what that\nneeds: images for the recorded GPUs and "
     "those of --device, and\nPTX. May be repeated",
     false},
    {REST, "rest", 0, "FILE",
     "with --used: write everything else there, where programs find it\nbeside the output. What was looked "
     "up "
     "and never launched goes\nthere, too",
     false},
    {DRY_RUN, "dry-run", 0, NULL, "with --used: write nothing, print how much is kept", false},
    EDIT_SIGN_OPTION,
    EDIT_OPTIONS,
};

static const struct command_help help = {
    .usage = "slice ARCHIVE -o FILE [OPTIONS]",
    .about = "Writes an archive with some of ARCHIVE's images. Repeat an option to keep more; an image must "
             "match\nevery option that is given. Modules without images are left out.",
    .example = "cubinet slice kernels.cubinet --device h100 -o kernels-h100.cubinet\n"
               "cubinet slice kernels.cubinet --kind cubin --module scan -o scan.cubinet\n"
               "cubinet slice kernels.cubinet --used run.record --rest rest.cubinet -o used.cubinet",
    .options = options,
};

struct slice {
    struct edit edit;
    struct positionals positionals; /* archive */
    struct explain_devices devices;
    struct cbn_text_list targets;
    struct cbn_text_list kinds;
    struct cbn_text_list modules;
    struct cbn_text_list records;
    struct slice_used used; /* what they have */
    const char *rest;
    bool is_dry_run;
    size_t named; /* how many devices --device has named, apart from `all` */
    bool *served; /* for each device: whether it gets an image that stays */
};

static cubinet_status add_kind(struct slice *slice, const char *kind)
{
    cubinet_image_kind known;
    cubinet_status status = listing_find_kind(kind, &known);
    return status ? status : cbn_text_list_add(&slice->kinds, kind);
}

static cubinet_status add_target(struct slice *slice, const char *name)
{
    cubinet_target target;
    cubinet_status status = cubinet_target_parse(name, &target);
    return status ? status : cbn_text_list_add(&slice->targets, name);
}

static cubinet_status take_option(void *data, int id, const char *value)
{
    struct slice *slice = data;
    switch (id) {
    case DEVICE:
        slice->named += strcmp(value, "all") != 0;
        return explain_devices_add(&slice->devices, value);
    case TARGET:
        return add_target(slice, value);
    case KIND:
        return add_kind(slice, value);
    case MODULE:
        return cbn_text_list_add(&slice->modules, value);
    case USED:
        return cbn_text_list_add(&slice->records, value);
    case REST:
        slice->rest = value;
        return output_check_name(value);
    case DRY_RUN:
        slice->is_dry_run = true;
        return CUBINET_OK;
    case OPTION_POSITIONAL:
        return command_take(&slice->positionals, 1, value);
    default:
        return edit_take(&slice->edit, id, value);
    }
}

static cubinet_status check(const struct slice *slice)
{
    if (slice->positionals.count == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "no archive is given");
    }
    if (slice->devices.count + slice->targets.count + slice->kinds.count + slice->modules.count +
            slice->records.count ==
        0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "say what to keep: --device, --target, --kind, --module or --used");
    }
    if (slice->records.count == 0 && (slice->rest || slice->is_dry_run)) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "--rest and --dry-run need --used RECORD");
    }
    if (slice->is_dry_run) {
        return CUBINET_OK;
    }
    struct outputs outputs = {0};
    outputs_write(&outputs, "the rest", slice->rest);
    outputs_read_all(&outputs, "the record", &slice->records);
    return edit_check(&slice->edit, slice->positionals.values[0], &outputs);
}

/* No such option was given, or one of them fits. */
static bool fits(const struct cbn_text_list *list, const char *text)
{
    return list->count == 0 || cbn_text_list_has(list, text);
}

/* Whether an image stays if a device gets it. */
static bool stays(const struct slice *slice, const struct listing_module *module, uint32_t image)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    const cubinet_target target = module->images[image].target;
    return fits(&slice->modules, module->name) && fits(&slice->targets, cubinet_target_name(target, name)) &&
           fits(&slice->kinds, listing_kind(target.kind));
}

/* Marks the image that a device gets under a policy. */
static cubinet_status mark_best(const struct slice *slice, const struct listing_module *module, size_t device,
                                const cubinet_device_profile *profile, const cubinet_policy *policy,
                                bool *wanted)
{
    struct ranking ranking = {0};
    cubinet_status status = ranking_make(module, profile, policy, &ranking);
    if (!status && ranking.candidates > 0) {
        uint32_t image = ranking.verdicts[0].image;
        wanted[image] = true;
        slice->served[device] |= stays(slice, module, image);
    }
    ranking_free(&ranking);
    return status;
}

/* Marks what a device gets of the module: what is loaded, and OptiX-IR, which is got beside that. */
static cubinet_status mark_device(const struct slice *slice, const struct explain *explain,
                                  const struct listing_module *module, size_t device, bool *wanted)
{
    const cubinet_policy optix = {.size = sizeof(optix), .kind = CUBINET_IMAGE_OPTIXIR};
    cubinet_device_profile profile = explain_profile(explain, module, device);
    cubinet_status status = mark_best(slice, module, device, &profile, NULL, wanted);
    return status ? status : mark_best(slice, module, device, &profile, &optix, wanted);
}

/* Marks what is to stay of a module. */
static cubinet_status mark(const void *user, const struct shown_archive *shown,
                           const struct listing_module *module, bool *wanted)
{
    const struct slice *slice = user;
    const struct explain explain = {.shown = shown,
                                    .devices = slice->devices.devices,
                                    .device_count = slice->devices.count,
                                    .assume_linker = true};
    bool is_used = slice->records.count == 0 || slice_used_mark(&slice->used, module, wanted);
    bool is_open = slice->records.count + slice->devices.count == 0; /* to every GPU's */
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; is_used && !status && i < slice->devices.count; i++) {
        status = mark_device(slice, &explain, module, i, wanted);
    }
    for (uint32_t i = 0; !status && i < module->image_count; i++) {
        wanted[i] = (wanted[i] || is_open) && stays(slice, module, i);
    }
    return status;
}

static cubinet_status nothing_fits(const struct shown_archive *shown)
{
    return cbn_error(CUBINET_ERROR_NOT_FOUND,
                     "no image in '%s' matches; `cubinet list` shows what there is, and "
                     "`cubinet explain` why a GPU gets nothing",
                     shown->path);
}

/* Of several devices, those that get nothing. `all` may have some that the archive is not for. */
static void warn_unserved(const struct slice *slice, const struct shown_archive *shown)
{
    for (size_t i = 0; slice->named == slice->devices.count && i < slice->named; i++) {
        if (!slice->served[i]) {
            command_warning("%s gets nothing: no image in '%s' matches; `cubinet explain` shows why",
                            slice->devices.devices[i].label, shown->path);
        }
    }
}

/* The rest is there before the archive that names it. */
static cubinet_status write_rest(const struct slice *slice, const struct shown_archive *shown,
                                 struct draft *rest)
{
    struct edit edit = slice->edit;
    edit.output = slice->rest;
    return edit_write(&edit, shown, rest);
}

/* What is marked, and with --rest what is not. */
static cubinet_status write_marked(const struct slice *slice, const struct shown_archive *shown,
                                   const struct slice_marks *marks)
{
    struct draft draft = {0};
    struct draft rest = {0};
    cubinet_status status = slice_marks_part(shown, marks, &draft, slice->rest ? &rest : NULL);
    if (!status && slice->records.count > 0) {
        status = slice_parts_divide(shown, marks, &slice->used, &draft, slice->rest ? &rest : NULL);
    }
    bool has_rest = rest.module_count > 0;
    if (!status && draft.module_count == 0) {
        status = nothing_fits(shown);
    }
    if (!status && slice->records.count > 0) {
        status =
            slice_rest_describe(shown, marks, &slice->used, slice->rest, &draft, has_rest ? &rest : NULL);
    }
    if (!status && has_rest) {
        status = write_rest(slice, shown, &rest);
    }
    if (!status) {
        status = edit_write(&slice->edit, shown, &draft);
    }
    if (!status) {
        warn_unserved(slice, shown);
    }
    if (!status && slice->rest && !has_rest) {
        command_warning("nothing is left out of '%s': '%s' is not written", shown->path, slice->rest);
    }
    draft_free(&draft);
    draft_free(&rest);
    return status;
}

/* What the records name, of an archive that has it. */
static cubinet_status read_records(struct slice *slice, const struct shown_archive *shown)
{
    cubinet_status status = slice_used_read(&slice->used, &slice->records, slice->rest != NULL);
    if (!status) {
        status = slice_used_check(&slice->used, shown);
    }
    return status ? status : slice_used_add_devices(&slice->used, &slice->devices);
}

static cubinet_status slice_shown(struct slice *slice, const struct shown_archive *shown)
{
    struct slice_marks marks = {.divide_parts = slice->records.count > 0};
    cubinet_status status = edit_find_modules(shown, &slice->modules);
    if (!status && slice->records.count > 0) {
        status = read_records(slice, shown);
    }
    if (!status && !(slice->served = calloc(slice->devices.count + 1, sizeof(*slice->served)))) {
        status = cbn_error_memory();
    }
    if (!status) {
        status = slice_marks_make(shown, mark, slice, &marks);
    }
    if (!status && slice->records.count > 0) {
        status = slice_marks_add_needed(shown, &marks);
    }
    if (!status) {
        status = slice->is_dry_run ? slice_rest_print(shown, &marks, &slice->used)
                                   : write_marked(slice, shown, &marks);
    }
    slice_marks_free(&marks);
    return status;
}

static cubinet_status run_slice(struct slice *slice)
{
    struct shown_archive shown;
    cubinet_status status = shown_archive_open(slice->positionals.values[0], NULL, &shown);
    if (!status) {
        status = slice_shown(slice, &shown);
        shown_archive_close(&shown);
    }
    return status;
}

static int run(int argc, char **argv)
{
    struct slice slice = {0};
    int result;
    cubinet_status status = command_read(options, argc, argv, take_option, &slice, &slice.edit.help);
    if (!status && !slice.edit.help) {
        status = check(&slice);
    }
    if (status) {
        result = command_usage("slice");
    } else if (slice.edit.help) {
        command_print_help(&help);
        result = EXIT_OK;
    } else {
        result = command_exit(run_slice(&slice));
    }
    explain_devices_free(&slice.devices);
    cbn_text_list_free(&slice.targets);
    cbn_text_list_free(&slice.kinds);
    cbn_text_list_free(&slice.modules);
    cbn_text_list_free(&slice.records);
    slice_used_free(&slice.used);
    edit_free(&slice.edit);
    free(slice.served);
    return result;
}

const struct command cmd_slice = {"slice", "keep the images for some GPUs, or some modules", run};
