/* SPDX-License-Identifier: Apache-2.0 */
#include "base/command.h"
#include "command/commands.h"

#include "command/edit.h"
#include "loader/core/support/error.h"
#include "loader/core/support/text_list.h"
#include "show/coverage.h"
#include "show/explain.h"
#include "show/explain_devices.h"

#include <stdlib.h>
#include <string.h>

enum { DEVICE = 1, TARGET, KIND, MODULE };

static const struct option options[] = {
    {DEVICE, "device", 0, "GPU",
     "images that this GPU gets: a compute capability (9.0) or a\nname (h100). May be repeated", false},
    {TARGET, "target", 0, "NAME", "images for this target, such as sm_90a. May be repeated", false},
    {KIND, "kind", 0, "KIND", "images of this kind: cubin, ptx, ltoir, tileir or optixir. May\nbe repeated",
     false},
    {MODULE, "module", 0, "NAME", "images of this module. May be repeated", false},
    EDIT_SIGN_OPTION,
    EDIT_OPTIONS,
};

static const struct command_help help = {
    .usage = "slice ARCHIVE -o FILE [OPTIONS]",
    .about = "Writes an archive with some of ARCHIVE's images. Repeat an option to keep more; an image must "
             "match\nevery option that is given. Modules without images are left out.",
    .example = "cubinet slice kernels.cubinet --device h100 -o kernels-h100.cubinet\n"
               "cubinet slice kernels.cubinet --kind cubin --module scan -o scan.cubinet",
    .options = options,
};

struct slice {
    struct edit edit;
    struct positionals positionals; /* archive */
    struct explain_devices devices;
    struct cbn_text_list targets;
    struct cbn_text_list kinds;
    struct cbn_text_list modules;
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
        return explain_devices_add(&slice->devices, value);
    case TARGET:
        return add_target(slice, value);
    case KIND:
        return add_kind(slice, value);
    case MODULE:
        return cbn_text_list_add(&slice->modules, value);
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
    if (slice->devices.count + slice->targets.count + slice->kinds.count + slice->modules.count == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "what to keep is not given: --device, --target, --kind or --module");
    }
    return edit_check(&slice->edit);
}

/* No such option was given, or one of them fits. */
static bool fits(const struct cbn_text_list *list, const char *text)
{
    return list->count == 0 || cbn_text_list_has(list, text);
}

/* Marks the image that a device gets under a policy. */
static cubinet_status mark_best(const struct listing_module *module, const cubinet_device_profile *profile,
                                const cubinet_policy *policy, bool *wanted)
{
    struct ranking ranking = {0};
    cubinet_status status = ranking_make(module, profile, policy, &ranking);
    if (!status && ranking.candidates > 0) {
        wanted[ranking.verdicts[0].image] = true;
    }
    ranking_free(&ranking);
    return status;
}

/* Marks what a device gets of the module: what is loaded, and OptiX-IR, which is got beside that. */
static cubinet_status mark_device(const struct explain *explain, const struct listing_module *module,
                                  size_t device, bool *wanted)
{
    const cubinet_policy optix = {.size = sizeof(optix), .kind = CUBINET_IMAGE_OPTIXIR};
    cubinet_device_profile profile = explain_profile(explain, module, device);
    cubinet_status status = mark_best(module, &profile, NULL, wanted);
    return status ? status : mark_best(module, &profile, &optix, wanted);
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
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < slice->devices.count; i++) {
        status = mark_device(&explain, module, i, wanted);
    }
    for (uint32_t i = 0; !status && i < module->image_count; i++) {
        char name[CUBINET_TARGET_NAME_SIZE];
        const cubinet_target target = module->images[i].target;
        wanted[i] = (wanted[i] || slice->devices.count == 0) && fits(&slice->modules, module->name) &&
                    fits(&slice->targets, cubinet_target_name(target, name)) &&
                    fits(&slice->kinds, listing_kind(target.kind));
    }
    return status;
}

static cubinet_status run_slice(const struct slice *slice)
{
    struct shown_archive shown;
    struct draft draft = {0};
    cubinet_status status = shown_archive_open(slice->positionals.values[0], NULL, &shown);
    if (status) {
        return status;
    }
    status = edit_find_modules(&shown, &slice->modules);
    if (!status) {
        status = edit_keep(&shown, mark, slice, &draft);
    }
    if (!status && draft.module_count == 0) {
        status = cbn_error(CUBINET_ERROR_NOT_FOUND,
                           "no image in '%s' is what is asked for; `cubinet list` shows what there is, and "
                           "`cubinet explain` why a GPU gets nothing",
                           shown.path);
    }
    if (!status) {
        status = edit_write(&slice->edit, &shown, &draft);
    }
    draft_free(&draft);
    shown_archive_close(&shown);
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
    edit_free(&slice.edit);
    return result;
}

const struct command cmd_slice = {"slice", "keep the images for some GPUs, or some modules", run};
