/* SPDX-License-Identifier: Apache-2.0 */
#include "base/command.h"
#include "command/commands.h"

#include "command/edit.h"
#include "loader/core/support/error.h"
#include "loader/core/support/text_list.h"

#include <stdlib.h>
#include <string.h>

enum { TARGET = 1 };

static const struct option options[] = {
    {TARGET, "target", 0, "NAME",
     "remove only the modules' images for this target, such as\nsm_90a. May be repeated", false},
    EDIT_SIGN_OPTION,
    EDIT_OPTIONS,
};

static const struct command_help help = {
    .usage = "remove ARCHIVE MODULE... -o FILE [OPTIONS]",
    .about = "Writes an archive without some of ARCHIVE's modules, or without some of their images.",
    .example = "cubinet remove kernels.cubinet old_scan -o kernels.cubinet\n"
               "cubinet remove kernels.cubinet scan reduce --target sm_75 -o kernels.cubinet",
    .options = options,
};

struct removal {
    struct edit edit;
    const char *archive;
    struct cbn_text_list modules;
    struct cbn_text_list targets;
};

static cubinet_status take_name(struct removal *removal, const char *value)
{
    if (!removal->archive) {
        removal->archive = value;
        return CUBINET_OK;
    }
    return cbn_text_list_add(&removal->modules, value);
}

static cubinet_status take_option(void *data, int id, const char *value)
{
    struct removal *removal = data;
    switch (id) {
    case TARGET:
        return cbn_text_list_add(&removal->targets, value);
    case OPTION_POSITIONAL:
        return take_name(removal, value);
    default:
        return edit_take(&removal->edit, id, value);
    }
}

static cubinet_status check(const struct removal *removal)
{
    struct outputs outputs = {0};
    if (removal->modules.count == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "an archive and a module are needed");
    }
    return edit_check(&removal->edit, removal->archive, &outputs);
}

/* Unmarks the image for a target. */
static cubinet_status unmark_target(const struct listing_module *module, const char *target, bool *kept)
{
    uint32_t image;
    cubinet_status status = listing_find_image(module, target, &image);
    if (!status) {
        kept[image] = false;
    }
    return status;
}

/* Marks what stays of a module. */
static cubinet_status mark(const void *user, const struct shown_archive *shown,
                           const struct listing_module *module, bool *kept)
{
    const struct removal *removal = user;
    bool is_named = cbn_text_list_has(&removal->modules, module->name);
    cubinet_status status = CUBINET_OK;
    (void)shown;
    for (uint32_t i = 0; i < module->image_count; i++) {
        kept[i] = !is_named || removal->targets.count > 0;
    }
    for (size_t i = 0; !status && is_named && i < removal->targets.count; i++) {
        status = unmark_target(module, removal->targets.items[i], kept);
    }
    return status;
}

static cubinet_status run_remove(const struct removal *removal)
{
    struct shown_archive shown;
    struct draft draft = {0};
    cubinet_status status = shown_archive_open(removal->archive, NULL, &shown);
    if (status) {
        return status;
    }
    status = edit_find_modules(&shown, &removal->modules);
    if (!status) {
        status = edit_keep(&shown, mark, removal, &draft);
    }
    if (!status && draft.module_count == 0) {
        status =
            cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                      "nothing would be left of '%s', and an archive has at least one image", shown.path);
    }
    if (!status) {
        status = edit_write(&removal->edit, &shown, &draft);
    }
    draft_free(&draft);
    shown_archive_close(&shown);
    return status;
}

static int run(int argc, char **argv)
{
    struct removal removal = {0};
    int result;
    cubinet_status status = command_read(options, argc, argv, take_option, &removal, &removal.edit.help);
    if (!status && !removal.edit.help) {
        status = check(&removal);
    }
    if (status) {
        result = command_usage("remove");
    } else if (removal.edit.help) {
        command_print_help(&help);
        result = EXIT_OK;
    } else {
        result = command_exit(run_remove(&removal));
    }
    cbn_text_list_free(&removal.modules);
    cbn_text_list_free(&removal.targets);
    edit_free(&removal.edit);
    return result;
}

const struct command cmd_remove = {"remove", "remove modules or images from an archive", run};
