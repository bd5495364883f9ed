/* SPDX-License-Identifier: Apache-2.0 */
#include "base/command.h"
#include "command/commands.h"

#include "archive/output_check.h"
#include "archive/stored_image.h"
#include "base/buffer.h"
#include "base/file.h"
#include "base/outputs.h"
#include "base/terminal.h"
#include "image/fatbin.h"
#include "image/nvfatbin.h"
#include "loader/core/support/error.h"
#include "show/shown_archive.h"
#include "toolkit/toolkit.h"

#include <stdlib.h>
#include <string.h>

enum { FATBIN = 1, OUTPUT, PLAIN, TOOLKIT };

static const struct option options[] = {
    {FATBIN, "fatbin", 0, NULL, "write a fatbin", false},
    {OUTPUT, "output", 'o', "FILE", "the file to write; '-' is standard output", false},
    {PLAIN, "plain", 0, NULL, "do not use nvFatbin, and compress nothing", false},
    {TOOLKIT, "toolkit", 0, "FOLDER", "CUDA toolkit with the nvFatbin to use", false},
    {OPTION_HELP, "help", 'h', NULL, "print this text", false},
    {0},
};

static const struct command_help help = {
    .usage = "export ARCHIVE MODULE --fatbin -o FILE [OPTIONS]",
    .about = "Writes all images of a module into a fatbin for the CUDA runtime, cuLibraryLoadData() and "
             "NVIDIA's\ntools. The toolkit's nvFatbin writes it, compressed, if there is one. LTO-IR needs "
             "nvFatbin, Tile IR\nthat of CUDA 13.1 or later. OptiX-IR is left out.",
    .example = "cubinet export kernels.cubinet segmented_sum --fatbin -o segsum.fatbin",
    .options = options,
};

struct export
{
    struct positionals positionals; /* archive, module */
    const char *output;
    const char *toolkit;
    bool fatbin;
    bool plain;
    bool help;
};

/* Images of the module, each with a NUL after it. */
struct images {
    struct fatbin_image *items;
    unsigned char **owned;
    size_t count;
};

static cubinet_status take_option(void *data, int id, const char *value)
{
    struct export *export = data;
    switch (id) {
    case FATBIN:
        export->fatbin = true;
        return CUBINET_OK;
    case OUTPUT:
        export->output = value;
        return CUBINET_OK;
    case PLAIN:
        export->plain = true;
        return CUBINET_OK;
    case TOOLKIT:
        export->toolkit = value;
        return CUBINET_OK;
    case OPTION_POSITIONAL:
        return command_take(&export->positionals, 2, value);
    default:
        return CUBINET_ERROR_INVALID_ARGUMENT;
    }
}

static cubinet_status check(const struct export *export)
{
    if (export->positionals.count < 2) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "an archive and a module are needed");
    }
    if (!export->fatbin) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "say what to write: --fatbin");
    }
    if (!export->output) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "no output is given: -o FILE");
    }
    struct outputs outputs = {0};
    outputs_write(&outputs, "the output", export->output);
    outputs_read(&outputs, "the archive", export->positionals.values[0]);
    return outputs_check(&outputs);
}

static cubinet_status read_image(const struct shown_archive *shown, const struct listing_module *module,
                                 uint32_t image, struct images *images)
{
    unsigned char *data = NULL;
    size_t size = 0;
    if (module->images[image].part_count > 1) {
        char name[CUBINET_TARGET_NAME_SIZE];
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "%s of module '%s' consists of %u parts, and a fatbin has one image for a target: "
                         "compile the module with --parts none",
                         cubinet_target_name(module->images[image].target, name), module->name,
                         module->images[image].part_count);
    }
    cubinet_status status = image_read(shown->archive, module->number, image, &data, &size);
    if (status) {
        return status;
    }
    unsigned char *longer = realloc(data, size + 1);
    if (!longer) {
        free(data);
        return cbn_error_memory();
    }
    longer[size] = '\0';
    images->owned[images->count] = longer;
    images->items[images->count++] =
        (struct fatbin_image){module->images[image].target, longer, size, module->images[image].ptx_isa};
    return CUBINET_OK;
}

/* Fatbins are for the driver, which does not take it. */
static bool is_left_out(const cubinet_image_info *image)
{
    return image->target.kind == CUBINET_IMAGE_OPTIXIR;
}

static cubinet_status check_left_out(const struct listing_module *module)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    uint32_t left_out = 0;
    for (uint32_t i = 0; i < module->image_count; i++) {
        left_out += is_left_out(&module->images[i]);
    }
    if (left_out == module->image_count) {
        return cbn_error(
            CUBINET_ERROR_INVALID_ARGUMENT,
            "module '%s' has only OptiX-IR, which a fatbin can't hold: write it with `cubinet extract`",
            module->name);
    }
    for (uint32_t i = 0; i < module->image_count; i++) {
        if (is_left_out(&module->images[i])) {
            command_warning("%s is left out: fatbins hold no OptiX-IR",
                            cubinet_target_name(module->images[i].target, name));
        }
    }
    return CUBINET_OK;
}

static cubinet_status read_images(const struct shown_archive *shown, struct images *images)
{
    const struct listing_module *module = &shown->listing.modules[0];
    images->items = calloc(module->image_count, sizeof(*images->items));
    images->owned = calloc(module->image_count, sizeof(*images->owned));
    cubinet_status status = images->items && images->owned ? CUBINET_OK : cbn_error_memory();
    for (uint32_t i = 0; !status && i < module->image_count; i++) {
        status = is_left_out(&module->images[i]) ? CUBINET_OK : read_image(shown, module, i, images);
    }
    return status;
}

static void free_images(struct images *images)
{
    for (size_t i = 0; i < images->count; i++) {
        free(images->owned[i]);
    }
    free(images->owned);
    free(images->items);
}

/* A toolkit that is asked for has to be there; without one the fatbin is written all the same. */
static cubinet_status open_nvfatbin(const struct export *export, struct nvfatbin *out_nvfatbin)
{
    struct toolkit toolkit = {0};
    if (export->plain) {
        return CUBINET_OK;
    }
    cubinet_status status = toolkit_find(export->toolkit, NULL, &toolkit);
    if (!status) {
        status = nvfatbin_open(toolkit.nvrtc, out_nvfatbin);
    }
    toolkit_free(&toolkit);
    return !status || export->toolkit ? status : CUBINET_OK;
}

static bool has_fatbin(const struct images *images)
{
    for (size_t i = 0; i < images->count; i++) {
        if (cbn_fatbin_is(images->items[i].data, images->items[i].size)) {
            return true;
        }
    }
    return false;
}

static cubinet_status write_fatbin(const struct export *export, const struct images *images,
                                   struct buffer *out)
{
    struct nvfatbin nvfatbin = {0};
    cubinet_status status = open_nvfatbin(export, &nvfatbin);
    if (!status) {
        /* nvFatbin does not take back what came out of a fatbin. */
        status =
            nvfatbin.library.handle && !has_fatbin(images)
                ? nvfatbin_write(&nvfatbin, images->items, images->count, export->positionals.values[1], out)
                : fatbin_write(images->items, images->count, out);
    }
    nvfatbin_close(&nvfatbin);
    return status;
}

static bool is_standard_output(const char *path)
{
    return strcmp(path, "-") == 0;
}

static cubinet_status write_bytes(const char *path, const struct buffer *bytes)
{
    if (!is_standard_output(path)) {
        return file_replace(path, bytes->data, bytes->size);
    }
    terminal_bytes(bytes->data, bytes->size); /* main() looks whether that failed */
    return CUBINET_OK;
}

static cubinet_status run_export(const struct export *export)
{
    struct shown_archive shown;
    struct images images = {0};
    struct buffer bytes = {0};
    cubinet_status status = is_standard_output(export->output) ? CUBINET_OK : output_check(export->output);
    if (!status) {
        status = shown_archive_open(export->positionals.values[0], export->positionals.values[1], &shown);
    }
    if (status) {
        return status;
    }
    status = check_left_out(&shown.listing.modules[0]);
    if (!status) {
        status = read_images(&shown, &images);
    }
    if (!status) {
        status = write_fatbin(export, &images, &bytes);
    }
    if (!status) {
        status = write_bytes(export->output, &bytes);
    }
    buffer_free(&bytes);
    free_images(&images);
    shown_archive_close(&shown);
    return status;
}

static int run(int argc, char **argv)
{
    struct export export = {0};
    cubinet_status status = command_read(options, argc, argv, take_option, &export, &export.help);
    if (!status && !export.help) {
        status = check(&export);
    }
    if (status) {
        return command_usage("export");
    }
    if (export.help) {
        command_print_help(&help);
        return EXIT_OK;
    }
    return command_exit(run_export(&export));
}

const struct command cmd_export = {"export", "write a module as a fatbin", run};
