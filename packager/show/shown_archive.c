/* SPDX-License-Identifier: Apache-2.0 */
#include "show/shown_archive.h"

#include "archive/archive_writer.h"
#include "archive/draft.h"
#include "archive/image_budget.h"
#include "archive/launch_file.h"
#include "loader/core/support/error.h"
#include "origin/public_keys.h"
#include "show/sbom.h"

#include <stdlib.h>

const struct option shown_options[] = {SHOWN_OPTIONS};

cubinet_status shown_archive_open_trusting(const char *path, const char *module,
                                           const struct cbn_text_list *keys, struct shown_archive *out_shown)
{
    struct shown_archive shown = {.path = path, .module = module};
    cubinet_archive_options options = {.size = sizeof(options)};
    if (keys) {
        options.public_keys = (const char *const *)keys->items;
        options.public_key_count = keys->count;
    }
    cubinet_status status = cubinet_archive_open(path, &options, &shown.archive);
    if (!status) {
        status = listing_read(shown.archive, module, &shown.listing);
    }
    if (status) {
        shown_archive_close(&shown);
        return status;
    }
    *out_shown = shown;
    return CUBINET_OK;
}

cubinet_status shown_archive_open(const char *path, const char *module, struct shown_archive *out_shown)
{
    struct shown_archive shown;
    cubinet_status status = shown_archive_open_trusting(path, module, NULL, &shown);
    if (status) {
        return status;
    }
    status = module ? image_budget_check_module(shown.archive, shown.listing.modules[0].number)
                    : image_budget_check(shown.archive);
    if (status) {
        shown_archive_close(&shown);
        return status;
    }
    *out_shown = shown;
    return CUBINET_OK;
}

/* Makes the archive's bytes with the launches. */
static cubinet_status apply_launches(const char *path, const struct cbn_text_list *launch_files,
                                     struct shown_archive *shown, size_t *out_size)
{
    struct draft draft = {0};
    cubinet_archive *archive = NULL;
    cubinet_status status = cubinet_archive_open(path, NULL, &archive);
    if (!status) {
        status = draft_add_archive(&draft, archive, path);
    }
    for (size_t i = 0; !status && i < launch_files->count; i++) {
        status = launch_file_add_known(launch_files->items[i], &draft);
    }
    if (!status) {
        status = archive_make(&draft, &shown->bytes, out_size);
    }
    cubinet_archive_close(archive);
    draft_free(&draft);
    return status;
}

cubinet_status shown_archive_open_launched(const char *path, const struct cbn_text_list *launch_files,
                                           struct shown_archive *out_shown)
{
    struct shown_archive shown = {.path = path};
    size_t size = 0;
    cubinet_status status = apply_launches(path, launch_files, &shown, &size);
    if (!status) {
        status = cubinet_archive_open_memory(shown.bytes, size, NULL, &shown.archive);
    }
    if (!status) {
        status = listing_read(shown.archive, NULL, &shown.listing);
    }
    if (status) {
        shown_archive_close(&shown);
        return status;
    }
    *out_shown = shown;
    return CUBINET_OK;
}

void shown_archive_close(struct shown_archive *shown)
{
    listing_free(&shown->listing);
    cubinet_archive_close(shown->archive);
    free(shown->bytes);
    *shown = (struct shown_archive){0};
}

struct request {
    const struct shown_command *command;
    struct positionals positionals;
    struct cbn_text_list keys;
    bool json;
    const char *sbom; /* its form; NULL: none is asked for */
    bool help;
};

static cubinet_status take_option(void *data, int id, const char *value)
{
    struct request *request = data;
    switch (id) {
    case SHOWN_PUBLIC_KEY:
        return public_keys_add(&request->keys, value);
    case SHOWN_JSON:
        request->json = true;
        return CUBINET_OK;
    case SHOWN_SBOM:
        request->sbom = value ? value : SBOM_SPDX;
        return sbom_check_form(request->sbom);
    case OPTION_POSITIONAL:
        return command_take(&request->positionals, request->command->takes_module ? 2 : 1, value);
    default:
        return CUBINET_ERROR_INVALID_ARGUMENT;
    }
}

static cubinet_status parse(struct request *request, int argc, char **argv)
{
    const struct option *options = request->command->help.options;
    cubinet_status status = command_read(options, argc, argv, take_option, request, &request->help);
    if (!status && !request->help && request->positionals.count == 0) {
        status = cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "no archive is given");
    }
    return status;
}

static cubinet_status show(const struct request *request, const struct shown_archive *shown)
{
    const struct shown_command *command = request->command;
    if (request->sbom) {
        return command->print_sbom(shown, request->sbom);
    }
    return request->json ? command->print_json(shown) : command->print(shown);
}

static cubinet_status run(const struct request *request)
{
    struct shown_archive shown;
    const char *const *values = request->positionals.values;
    cubinet_status status = shown_archive_open_trusting(
        values[0], values[1], request->keys.count > 0 ? &request->keys : NULL, &shown);
    if (!status) {
        status = show(request, &shown);
        shown_archive_close(&shown);
    }
    return status;
}

int shown_command_run(const struct shown_command *command, int argc, char **argv)
{
    struct request request = {.command = command};
    int result;
    if (parse(&request, argc, argv)) {
        result = command_usage(command->name);
    } else if (request.help) {
        command_print_help(&command->help);
        result = EXIT_OK;
    } else {
        result = command_exit(run(&request));
    }
    cbn_text_list_free(&request.keys);
    return result;
}
