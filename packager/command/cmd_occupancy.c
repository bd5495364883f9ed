/* SPDX-License-Identifier: Apache-2.0 */
#include "base/command.h"
#include "command/commands.h"

#include "base/outputs.h"
#include "loader/core/support/error.h"
#include "show/occupancy_output.h"

#include <stdlib.h>
#include <string.h>

enum { DEVICE = 1, BLOCK, SMEM, LAUNCH, MAXREGS, AT_LEAST, PLOT, SVG, JSON };

static const struct option options[] = {
    {DEVICE, "device", 0, "GPU",
     "a compute capability (9.0, sm_90), a GPU's name (h100) or\nall; may be repeated; by "
     "default every cubin's own",
     false},
    {BLOCK, "block", 0, "THREADS", "threads in a block (default: the whole curve)", false},
    {SMEM, "smem", 0, "BYTES", "dynamic shared memory of a block (default: as in the launch\nrecord)", false},
    {LAUNCH, "launch", 0, "FILE.json",
     "how kernels are launched, as `cubinet pack --launch` reads it;\nentries for other kernels are ignored. "
     "May be repeated",
     false},
    {MAXREGS, "maxregs", 0, "N", "assume that kernels use at most N registers", false},
    {AT_LEAST, "at-least", 0, "FRACTION",
     "print nothing, and fail if a kernel's occupancy is below\nFRACTION, such as 0.5, on any of the devices",
     false},
    {PLOT, "plot", 0, NULL, "draw the curves with characters", false},
    {SVG, "svg", 0, "FILE", "draw the curves into FILE", false},
    {JSON, "json", 0, NULL, "print JSON", false},
    {OPTION_HELP, "help", 'h', NULL, "print this text", false},
    {0},
};

static const struct command_help help = {
    .usage = "occupancy ARCHIVE [KERNEL] [OPTIONS]",
    .about = "Shows how many blocks of a kernel fit on a multiprocessor, what share of its warps that is, "
             "and what\nlimits it, for every architecture in the archive. Needs no GPU.",
    .example = "cubinet occupancy kernels.cubinet 'segsum<float,int,256,4>' --device sm_90 --block 256\n"
               "cubinet occupancy kernels.cubinet --at-least 0.5",
    .options = options,
};

struct request {
    struct positionals positionals; /* archive, kernel */
    struct occupancy_request question;
    struct cbn_text_list launch_files;
    bool check;
    double least;
    bool plot;
    const char *svg;
    bool json;
    bool help;
};

static cubinet_status parse_fraction(struct request *request, const char *text)
{
    char *end;
    double fraction = strtod(text, &end);
    if (end == text || *end || !(fraction > 0 && fraction <= 1)) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "'%s' is not an occupancy, above 0 and up to 1",
                         text);
    }
    request->check = true;
    request->least = fraction;
    return CUBINET_OK;
}

/* Beyond what any device has, but far from overflows. */
enum { MOST_SHARED = 1 << 24, MOST_REGISTERS = 255 };

static cubinet_status take_option(void *data, int id, const char *value)
{
    struct request *request = data;
    struct occupancy_request *question = &request->question;
    switch (id) {
    case DEVICE:
        return explain_devices_add(&question->devices, value);
    case BLOCK:
        return command_number(value, "threads in a block", 1, MAX_BLOCK_THREADS, &question->block_threads);
    case SMEM:
        question->has_dynamic_shared = true;
        return command_number(value, "bytes", 0, MOST_SHARED, &question->dynamic_shared_bytes);
    case LAUNCH:
        return cbn_text_list_add(&request->launch_files, value);
    case MAXREGS:
        return command_number(value, "registers", 1, MOST_REGISTERS, &question->max_registers);
    case AT_LEAST:
        return parse_fraction(request, value);
    case PLOT:
        request->plot = true;
        return CUBINET_OK;
    case SVG:
        request->svg = value;
        return CUBINET_OK;
    case JSON:
        request->json = true;
        return CUBINET_OK;
    case OPTION_POSITIONAL:
        return command_take(&request->positionals, 2, value);
    default:
        return CUBINET_ERROR_INVALID_ARGUMENT;
    }
}

/* Forms of output that leave no place for one another. */
static cubinet_status check_forms(const struct request *request)
{
    if (request->json + request->plot + request->check > 1) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "--json, --plot and --at-least exclude each other");
    }
    if (request->question.block_threads && (request->plot || request->svg)) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "--plot and --svg draw all block sizes; leave --block out");
    }
    return CUBINET_OK;
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
    request->question.kernel = request->positionals.values[1];
    struct outputs outputs = {0};
    outputs_write(&outputs, "the drawing", request->svg);
    outputs_read(&outputs, "the archive", request->positionals.values[0]);
    outputs_read_all(&outputs, "the launch record", &request->launch_files);
    status = outputs_check(&outputs);
    return status ? status : check_forms(request);
}

static cubinet_status fail_empty(const struct request *request, const struct shown_archive *shown)
{
    const char *where = request->question.devices.count ? " for the devices that were named" : "";
    return cbn_error(CUBINET_ERROR_NOT_FOUND, "'%s' has no machine code of %s%s%s%s", shown->path,
                     request->question.kernel ? "kernel '" : "any kernel",
                     request->question.kernel ? request->question.kernel : "",
                     request->question.kernel ? "'" : "", where);
}

static cubinet_status show(const struct request *request, const struct shown_archive *shown,
                           const struct occupancy_cases *cases)
{
    if (cases->count == 0) {
        return fail_empty(request, shown);
    }
    occupancy_warn_of_shared(cases);
    cubinet_status status = request->svg ? occupancy_write_svg(cases, request->svg) : CUBINET_OK;
    if (status) {
        return status;
    }
    if (request->json) {
        return occupancy_print_json(shown, cases, &request->question);
    }
    if (request->plot) {
        return occupancy_print_plot(cases);
    }
    return request->svg || request->check ? CUBINET_OK : occupancy_print(cases, &request->question);
}

static int run_occupancy(const struct request *request)
{
    struct shown_archive shown;
    const char *path = request->positionals.values[0];
    if (request->launch_files.count > 0 ? shown_archive_open_launched(path, &request->launch_files, &shown)
                                        : shown_archive_open(path, NULL, &shown)) {
        return command_failed();
    }
    struct occupancy_cases cases = {0};
    cubinet_status status = occupancy_cases_make(&shown, &request->question, &cases);
    if (!status) {
        status = show(request, &shown, &cases);
    }
    int result = command_exit(status);
    if (result == EXIT_OK && request->check && !occupancy_check(&cases, &request->question, request->least)) {
        result = EXIT_FAILED;
    }
    occupancy_cases_free(&cases);
    shown_archive_close(&shown);
    return result;
}

static int run(int argc, char **argv)
{
    struct request request = {0};
    int result;
    if (parse(&request, argc, argv)) {
        result = command_usage("occupancy");
    } else if (request.help) {
        command_print_help(&help);
        result = EXIT_OK;
    } else {
        result = run_occupancy(&request);
    }
    explain_devices_free(&request.question.devices);
    cbn_text_list_free(&request.launch_files);
    return result;
}

const struct command cmd_occupancy = {"occupancy", "show the occupancy of kernels, and what limits it", run};
