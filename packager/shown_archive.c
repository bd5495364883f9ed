/* SPDX-License-Identifier: Apache-2.0 */
#include "shown_archive.h"

#include "error.h"

const struct option shown_options[] = {
    {SHOWN_JSON, "json", 0, NULL, "print JSON", false},
    {SHOWN_HELP, "help", 'h', NULL, "print this text", false},
    {0},
};

cubinet_status shown_archive_open(const char *path, const char *module, struct shown_archive *out_shown)
{
    struct shown_archive shown = {.path = path, .module = module};
    cubinet_status status = cubinet_archive_open(path, NULL, &shown.archive);
    if (status == CUBINET_OK) {
        status = catalog_read(shown.archive, module, &shown.catalog);
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
    catalog_free(&shown->catalog);
    cubinet_archive_close(shown->archive);
    *shown = (struct shown_archive){0};
}

struct request {
    struct positionals positionals;
    bool json;
    bool help;
};

static cubinet_status parse(const struct shown_command *command, int argc, char **argv,
                            struct request *request)
{
    struct option_reader reader = {.options = command->help.options, .argc = argc, .argv = argv};
    cubinet_status status = CUBINET_OK;
    int id;
    while (status == CUBINET_OK && !request->help && (id = option_next(&reader)) != OPTION_END) {
        switch (id) {
        case SHOWN_HELP:
            request->help = true;
            break;
        case SHOWN_JSON:
            request->json = true;
            break;
        case OPTION_POSITIONAL:
            status = command_take(&request->positionals, command->takes_module ? 2 : 1, reader.value);
            break;
        default:
            status = CUBINET_ERROR_INVALID_ARGUMENT;
        }
    }
    if (status == CUBINET_OK && !request->help && request->positionals.count == 0) {
        status = cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "no archive is given");
    }
    return status;
}

int shown_command_run(const struct shown_command *command, int argc, char **argv)
{
    struct request request = {0};
    if (parse(command, argc, argv, &request) != CUBINET_OK) {
        return command_usage(command->name);
    }
    if (request.help) {
        command_print_help(&command->help);
        return EXIT_OK;
    }
    struct shown_archive shown;
    cubinet_status status =
        shown_archive_open(request.positionals.values[0], request.positionals.values[1], &shown);
    if (status) {
        return command_failed();
    }
    status = request.json ? command->print_json(&shown) : command->print(&shown);
    shown_archive_close(&shown);
    return command_exit(status);
}
