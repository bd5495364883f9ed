/* SPDX-License-Identifier: Apache-2.0 */
#include "base/command.h"
#include "command/commands.h"

#include "archive/draft_alias.h"
#include "archive/launch_file.h"
#include "base/name_check.h"
#include "command/edit.h"
#include "link/foreign.h"
#include "loader/core/support/error.h"
#include "loader/core/support/text_list.h"
#include "process/supervise.h"

#include <stdlib.h>
#include <string.h>

enum { IMAGES = 1, ADD, MODULE, TOOLKIT, NAME_BY, KERNEL, EXPORT, LAUNCH };

static const struct option options[] = {
    {IMAGES, "images", 0, NULL, "replace only the images for the targets that INPUT has", false},
    {ADD, "add", 0, NULL, "add modules that ARCHIVE lacks; without it that is an error", false},
    {MODULE, "module", 0, "NAME", "the module that images of other tools belong to,\nas for `cubinet pack`",
     false},
    {TOOLKIT, "toolkit", 0, "FOLDER", "CUDA toolkit whose nvJitLink reads LTO-IR of other tools", false},
    {NAME_BY, "name-by", 0, "HOW", "how to name modules of other tools' files, as for\n`cubinet pack`",
     false},
    {KERNEL, "kernel", 0, "NAME=LOWERED", "name a kernel of INPUT, as for `cubinet pack`. May be repeated",
     false},
    {EXPORT, "export", 0, "EXPR[=LOWERED]",
     "a function that the LTO-IR before it defines for others, as\nfor `cubinet pack`. May be repeated",
     false},
    {LAUNCH, "launch", 0, "FILE.json",
     "how kernels of INPUT are launched, as for `cubinet pack`. May be\nrepeated", false},
    EDIT_SIGN_OPTION,
    EDIT_OPTIONS,
};

static const struct command_help help = {
    .usage = "replace ARCHIVE INPUT... -o FILE [OPTIONS]",
    .about = "Writes an archive in which the modules of INPUT replace ARCHIVE's modules of the same names. "
             "An INPUT\nis an archive or any other input of `cubinet pack`.",
    .example = "cubinet replace kernels.cubinet scan.cubinet -o kernels.cubinet --archive-version 1.4.1\n"
               "cubinet replace kernels.cubinet scan.sm_90.cubin --images -o kernels.cubinet",
    .options = options,
};

struct replacement {
    struct edit edit;
    const char *archive;
    struct cbn_text_list inputs;
    struct cbn_text_list aliases; /* NAME=LOWERED */
    struct cbn_text_list launch_paths;
    struct foreign foreign;
    bool images;
    bool add;
};

static cubinet_status take_name(struct replacement *replacement, const char *value)
{
    if (!replacement->archive) {
        replacement->archive = value;
        return CUBINET_OK;
    }
    return cbn_text_list_add(&replacement->inputs, value);
}

/* Of the input before it. */
static cubinet_status take_export(struct replacement *replacement, const char *value)
{
    const struct cbn_text_list *inputs = &replacement->inputs;
    return inputs->count == 0
               ? cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                           "--export is about the input before it, and there is none")
               : foreign_export(&replacement->foreign, inputs->items[inputs->count - 1], value);
}

static cubinet_status take_option(void *data, int id, const char *value)
{
    struct replacement *replacement = data;
    switch (id) {
    case IMAGES:
        replacement->images = true;
        return CUBINET_OK;
    case ADD:
        replacement->add = true;
        return CUBINET_OK;
    case MODULE:
        replacement->foreign.module = value;
        return name_check("a module's name", value);
    case TOOLKIT:
        replacement->foreign.toolkit = value;
        return CUBINET_OK;
    case NAME_BY:
        return foreign_name_by_option(value, &replacement->foreign.name_by);
    case KERNEL:
        return cbn_text_list_add(&replacement->aliases, value);
    case EXPORT:
        return take_export(replacement, value);
    case LAUNCH:
        return cbn_text_list_add(&replacement->launch_paths, value);
    case OPTION_POSITIONAL:
        return take_name(replacement, value);
    default:
        return edit_take(&replacement->edit, id, value);
    }
}

static cubinet_status check(const struct replacement *replacement)
{
    struct outputs outputs = {0};
    if (replacement->inputs.count == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "an archive and an input are needed");
    }
    for (size_t i = 0; i < replacement->inputs.count; i++) {
        foreign_outputs(replacement->inputs.items[i], replacement->edit.output, NULL, &outputs);
    }
    outputs_read_all(&outputs, "the launch record", &replacement->launch_paths);
    return edit_check(&replacement->edit, replacement->archive, &outputs);
}

static cubinet_status add_archive(const char *path, struct draft *draft)
{
    cubinet_archive *archive = NULL;
    cubinet_status status = cubinet_archive_open(path, NULL, &archive);
    if (!status) {
        status = draft_add_archive(draft, archive, path);
    }
    cubinet_archive_close(archive);
    return status;
}

static cubinet_status add_input(struct replacement *replacement, const char *input, struct draft *draft)
{
    const char *archive;
    cubinet_status status = foreign_take(&replacement->foreign, input, &archive);
    return !status && archive ? add_archive(archive, draft) : status;
}

/* Files the inputs, with what is said of their kernels. */
static cubinet_status add_inputs(struct replacement *replacement, struct draft *draft)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < replacement->inputs.count; i++) {
        status = add_input(replacement, replacement->inputs.items[i], draft);
    }
    if (!status) {
        status = foreign_file(&replacement->foreign, draft);
    }
    for (size_t i = 0; !status && i < replacement->aliases.count; i++) {
        status = draft_alias(draft, replacement->aliases.items[i]);
    }
    for (size_t i = 0; !status && i < replacement->launch_paths.count; i++) {
        status = launch_file_add(replacement->launch_paths.items[i], draft);
    }
    return status;
}

static bool has_image(const struct draft_module *module, cubinet_target target)
{
    for (size_t i = 0; i < module->image_count; i++) {
        if (cubinet_target_compare(module->images[i].target, target) == 0) {
            return true;
        }
    }
    return false;
}

/* What is put into an archive: a draft that has the inputs, and of the archive's modules those that were
 * looked at. */
struct fresh {
    const struct replacement *replacement;
    const struct draft *draft;
};

/* Marks what stays of one of the archive's modules. */
static cubinet_status mark(const void *user, const struct shown_archive *shown,
                           const struct listing_module *module, bool *kept)
{
    const struct fresh *fresh = user;
    const struct draft_module *newer = draft_find_module(fresh->draft, module->name);
    (void)shown;
    for (uint32_t i = 0; i < module->image_count; i++) {
        kept[i] = !newer || (fresh->replacement->images && !has_image(newer, module->images[i].target));
    }
    return CUBINET_OK;
}

/* What is put in the place of nothing is most often a wrong name. */
static cubinet_status check_modules(const struct replacement *replacement, const struct shown_archive *shown,
                                    const struct draft *inputs)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && !replacement->add && i < inputs->module_count; i++) {
        uint32_t module;
        status = cubinet_archive_find_module(shown->archive, inputs->modules[i].name, &module);
        status = status ? cbn_error(status, "%s; --add adds it", cubinet_error_message()) : status;
    }
    return status;
}

/* Tuning records of images that are replaced by others stay, to say that they are void. */
static cubinet_status keep_tunings(const struct shown_archive *shown, struct draft *draft)
{
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < shown->listing.module_count; i++) {
        const struct listing_module *module = &shown->listing.modules[i];
        struct draft_module *newer = draft_find_module(draft, module->name);
        if (newer) {
            status = draft_add_archive_tunings(newer, shown->archive, module->number);
        }
    }
    return status;
}

static cubinet_status make_draft(struct replacement *replacement, const struct shown_archive *shown,
                                 struct draft *draft)
{
    const struct fresh fresh = {replacement, draft};
    cubinet_status status = add_inputs(replacement, draft);
    if (!status) {
        status = check_modules(replacement, shown, draft);
    }
    if (!status) {
        status = keep_tunings(shown, draft);
    }
    return status ? status : edit_keep(shown, mark, &fresh, draft);
}

static cubinet_status run_replace(struct replacement *replacement)
{
    struct shown_archive shown;
    struct draft draft = {0};
    cubinet_status status = shown_archive_open(replacement->archive, NULL, &shown);
    if (status) {
        return status;
    }
    status = make_draft(replacement, &shown, &draft);
    if (!status) {
        status = edit_write(&replacement->edit, &shown, &draft);
    }
    if (!status) {
        foreign_warn(&replacement->foreign);
    }
    draft_free(&draft);
    shown_archive_close(&shown);
    return status;
}

static int run(int argc, char **argv)
{
    struct replacement replacement = {0};
    int result;
    cubinet_status status =
        command_read(options, argc, argv, take_option, &replacement, &replacement.edit.help);
    if (!status && !replacement.edit.help) {
        status = check(&replacement);
    }
    if (status) {
        result = command_usage("replace");
    } else if (replacement.edit.help) {
        command_print_help(&help);
        result = EXIT_OK;
    } else if (!supervise(NULL, "replace", &result)) {
        result = command_exit(run_replace(&replacement));
    }
    foreign_free(&replacement.foreign);
    cbn_text_list_free(&replacement.inputs);
    cbn_text_list_free(&replacement.aliases);
    cbn_text_list_free(&replacement.launch_paths);
    edit_free(&replacement.edit);
    return result;
}

const struct command cmd_replace = {"replace", "replace modules or images in an archive", run};
