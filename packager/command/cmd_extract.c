/* SPDX-License-Identifier: Apache-2.0 */
#include "base/command.h"
#include "command/commands.h"

#include "archive/entry_name.h"
#include "archive/image_budget.h"
#include "archive/stored_image.h"
#include "base/atomic_file.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/outputs.h"
#include "base/terminal.h"
#include "loader/core/support/error.h"
#include "show/shown_archive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { OUTPUT = 1, ALL };

static const struct option options[] = {
    {OUTPUT, "output", 'o', "FILE", "file to write, or a folder for TARGET.EXT; '-' is standard\noutput",
     false},
    {ALL, "all", 0, "FOLDER", "extract every image, of MODULE if it is given, as\nFOLDER/MODULE/TARGET.EXT",
     false},
    {OPTION_HELP, "help", 'h', NULL, "print this text", false},
    {0},
};

static const struct command_help help = {
    .usage = "extract ARCHIVE MODULE TARGET[.PART] -o FILE\n"
             "       cubinet extract ARCHIVE [MODULE] --all FOLDER",
    .about = "Writes images of an archive for other CUDA tools: uncompressed, digests checked.\n"
             "\n"
             "The parts of an image are extracted as TARGET.0.EXT, TARGET.1.EXT and so on, into a\n"
             "folder. To extract one of them, write TARGET.PART.",
    .example = "cubinet extract kernels.cubinet segmented_sum sm_90a -o segsum.cubin\n"
               "cubinet extract kernels.cubinet segmented_sum compute_80 -o - | less",
    .options = options,
};

struct extract {
    struct positionals positionals; /* archive, module, target */
    const char *output;
    const char *all;
    bool help;
};

static cubinet_status take_option(void *data, int id, const char *value)
{
    struct extract *extract = data;
    switch (id) {
    case OUTPUT:
        extract->output = value;
        return CUBINET_OK;
    case ALL:
        extract->all = value;
        return CUBINET_OK;
    case OPTION_POSITIONAL:
        return command_take(&extract->positionals, 3, value);
    default:
        return CUBINET_ERROR_INVALID_ARGUMENT;
    }
}

static cubinet_status check(const struct extract *extract)
{
    size_t count = extract->positionals.count;
    if (count == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "no archive is given");
    }
    if (extract->all && (extract->output || count > 2)) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "--all takes neither a target nor -o");
    }
    if (!extract->all && count < 3) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "a module and a target are needed, or --all FOLDER");
    }
    if (!extract->all && !extract->output) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "no output is given: -o FILE");
    }
    return CUBINET_OK;
}

/* What is extracted: a part of an image, or the image if it is the only one. */
struct extracted {
    const struct shown_archive *shown;
    const struct listing_module *module;
    uint32_t image;
    uint32_t part;
};

static cubinet_status check_output(const struct extracted *what, const char *path)
{
    struct outputs outputs = {0};
    outputs_write(&outputs, "the output", path);
    outputs_read(&outputs, "the archive", what->shown->path);
    return outputs_check(&outputs);
}

static cubinet_status extract_part(const struct extracted *what, const char *path)
{
    unsigned char *data;
    size_t size;
    cubinet_status status = check_output(what, path);
    if (status) {
        return status;
    }
    status = part_read(what->shown->archive, what->module->number, what->image, what->part, &data, &size);
    if (status) {
        return status;
    }
    if (strcmp(path, "-") == 0) {
        terminal_bytes(data, size); /* main() looks whether that failed */
    } else {
        status = file_replace_how(path, data, size, ATOMIC_FILE_UNSYNCED);
    }
    free(data);
    return status;
}

/* "FOLDER/NAME", which the caller frees; NULL if memory is out. */
static char *join(const char *folder, const char *name)
{
    size_t size = strlen(folder);
    char *path;
    const char *slash = size > 0 && folder[size - 1] == '/' ? "" : "/";
    return asprintf(&path, "%s%s%s", folder, slash, name) < 0 ? NULL : path;
}

/* Into FOLDER as TARGET.EXT. */
static cubinet_status extract_into(const struct extracted *what, const char *folder)
{
    char *entry;
    const cubinet_image_info *info = &what->module->images[what->image];
    const struct entry_part part = {what->part, info->part_count};
    cubinet_status status = entry_name(what->module->name, info->target, part, CUBINET_ENCODING_RAW, &entry);
    if (status) {
        return status;
    }
    char *path = join(folder, strchr(entry, '/') + 1);
    status = path ? extract_part(what, path) : cbn_error_memory();
    free(path);
    free(entry);
    return status;
}

/* All parts of an image. */
static cubinet_status extract_parts(struct extracted what, const char *folder)
{
    cubinet_status status = CUBINET_OK;
    for (; !status && what.part < what.module->images[what.image].part_count; what.part++) {
        status = extract_into(&what, folder);
    }
    return status;
}

/* All images of a module, into FOLDER/MODULE. */
static cubinet_status extract_module(const struct shown_archive *shown, const struct listing_module *module,
                                     const char *folder)
{
    char *name;
    cubinet_status status = entry_name_folder(module->name, &name);
    if (status) {
        return status;
    }
    char *path = join(folder, name);
    status = path ? folder_make(path) : cbn_error_memory();
    for (uint32_t i = 0; !status && i < module->image_count; i++) {
        status = extract_parts((struct extracted){shown, module, i, 0}, path);
    }
    free(path);
    free(name);
    return status;
}

static cubinet_status extract_all(const struct shown_archive *shown, const char *folder)
{
    cubinet_status status = image_budget_check(shown->archive);
    if (!status) {
        status = folder_make(folder);
    }
    for (uint32_t i = 0; !status && i < shown->listing.module_count; i++) {
        status = extract_module(shown, &shown->listing.modules[i], folder);
    }
    return status;
}

/* Splits "sm_90.3", which names a part; anything else names an image. */
static cubinet_status find_extracted(const char *text, struct extracted *what, bool *out_is_part)
{
    const char *dot = strchr(text, '.');
    *out_is_part = dot && dot[1] && dot[1 + strspn(dot + 1, "0123456789")] == '\0';
    char *target = *out_is_part ? strndup(text, (size_t)(dot - text)) : strdup(text);
    if (!target) {
        return cbn_error_memory();
    }
    cubinet_status status = listing_find_image(what->module, target, &what->image);
    free(target);
    if (!status && *out_is_part) {
        cubinet_part_info info = {.size = sizeof(info)};
        status = command_number(dot + 1, "parts", 0, UINT32_MAX - 1, &what->part);
        status = status ? status
                        : cubinet_archive_get_part(what->shown->archive, what->module->number, what->image,
                                                   what->part, &info);
    }
    return status;
}

static cubinet_status extract_one(const struct shown_archive *shown, const char *target, const char *output)
{
    struct extracted what = {shown, &shown->listing.modules[0], 0, 0};
    bool is_part;
    cubinet_status status = find_extracted(target, &what, &is_part);
    if (status) {
        return status;
    }
    uint32_t count = what.module->images[what.image].part_count;
    if (folder_is(output)) {
        return is_part ? extract_into(&what, output) : extract_parts(what, output);
    }
    if (!is_part && count > 1) {
        return cbn_error(
            CUBINET_ERROR_INVALID_ARGUMENT,
            "%s of module '%s' consists of %u parts: extract them into a folder, or one of them, "
            "such as %s.0",
            target, what.module->name, count, target);
    }
    return extract_part(&what, output);
}

static cubinet_status run_extract(const struct extract *extract)
{
    const char *const *values = extract->positionals.values;
    struct shown_archive shown;
    cubinet_status status = shown_archive_open_trusting(values[0], values[1], NULL, &shown);
    if (status) {
        return status;
    }
    status =
        extract->all ? extract_all(&shown, extract->all) : extract_one(&shown, values[2], extract->output);
    shown_archive_close(&shown);
    return status;
}

static int run(int argc, char **argv)
{
    struct extract extract = {0};
    cubinet_status status = command_read(options, argc, argv, take_option, &extract, &extract.help);
    if (!status && extract.help) {
        command_print_help(&help);
        return EXIT_OK;
    }
    if (!status) {
        status = check(&extract);
    }
    return status ? command_usage("extract") : command_exit(run_extract(&extract));
}

const struct command cmd_extract = {"extract", "write images to files, for other CUDA tools", run};
