/* SPDX-License-Identifier: Apache-2.0 */
#include "base/command.h"
#include "command/commands.h"

#include "base/json_output.h"
#include "base/outputs.h"
#include "command/made.h"
#include "loader/core/support/error.h"
#include "show/report.h"

#include <sys/stat.h>

enum { OUTPUT = 1, JSON };

static const struct option options[] = {
    {OUTPUT, "output", 'o', "FILE", "the page to write", false},
    {JSON, "json", 0, NULL, "print JSON: what was written, and what is in the archive", false},
    {OPTION_HELP, "help", 'h', NULL, "print this text", false},
    {0},
};

static const struct command_help help = {
    .usage = "report ARCHIVE -o FILE",
    .about =
        "Writes the contents of an archive as a web page: what matters most, coverage, sizes, and each "
        "kernel's\nresources, parameters, launch records and occupancy. The page is one file and needs no "
        "network.",
    .example = "cubinet report kernels.cubinet -o report.html",
    .options = options,
};

struct request {
    struct positionals positionals; /* archive */
    const char *output;
    bool json;
    bool help;
};

static cubinet_status take_option(void *data, int id, const char *value)
{
    struct request *request = data;
    switch (id) {
    case OUTPUT:
        request->output = value;
        return CUBINET_OK;
    case JSON:
        request->json = true;
        return CUBINET_OK;
    case OPTION_POSITIONAL:
        return command_take(&request->positionals, 1, value);
    default:
        return CUBINET_ERROR_INVALID_ARGUMENT;
    }
}

static cubinet_status parse(struct request *request, int argc, char **argv)
{
    cubinet_status status = command_read(options, argc, argv, take_option, request, &request->help);
    if (status || request->help) {
        return status;
    }
    if (request->positionals.count == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "no archive is given");
    }
    if (!request->output) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "no output is given: -o FILE");
    }
    struct outputs outputs = {0};
    outputs_write(&outputs, "the page", request->output);
    outputs_read(&outputs, "the archive", request->positionals.values[0]);
    return outputs_check(&outputs);
}

static cubinet_status print_json(const struct shown_archive *shown, const char *page, double started)
{
    struct stat about;
    json_t *document = NULL;
    cubinet_status status = made_json_of(shown, &document);
    if (status) {
        return status;
    }
    bool is_file = stat(page, &about) == 0 && S_ISREG(about.st_mode);
    json_object_set_new(document, "page", json_output_text(page));
    json_object_set_new(document, "page_bytes", is_file ? json_integer(about.st_size) : json_null());
    json_object_set_new(document, "seconds", made_duration(made_seconds(started)));
    return json_output_print(document);
}

static cubinet_status run_report(const struct request *request)
{
    double started = made_seconds(0);
    struct shown_archive shown;
    cubinet_status status = shown_archive_open(request->positionals.values[0], NULL, &shown);
    if (status) {
        return status;
    }
    status = report_write(&shown, request->output);
    if (!status && request->json) {
        status = print_json(&shown, request->output, started);
    }
    shown_archive_close(&shown);
    return status;
}

static int run(int argc, char **argv)
{
    struct request request = {0};
    if (parse(&request, argc, argv)) {
        return command_usage("report");
    }
    if (request.help) {
        command_print_help(&help);
        return EXIT_OK;
    }
    return command_exit(run_report(&request));
}

const struct command cmd_report = {"report", "write an archive's contents as a web page", run};
