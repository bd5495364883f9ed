/* SPDX-License-Identifier: Apache-2.0 */
#include "base/command.h"
#include "command/commands.h"

#include "command/tune_request.h"
#include "loader/core/support/error.h"
#include "tune/journal.h"
#include "tune/race.h"

#include <stdlib.h>

enum {
    DEVICE = 1,
    ONLY,
    COLD,
    WARM,
    ROUNDS,
    RESOLUTION,
    SEED,
    ALL,
    HANG,
    RESUME,
    CHECK,
    TIMES,
    JSON,
    EXPORT
};

static const struct option options[] = {
    {DEVICE, "device", 0, "N", "measure on this device, from 0 (default: on all)", false},
    {ONLY, "only", 0, "SET", "measure this set or kernel of DESCRIPTION alone. May be\nrepeated", false},
    {COLD, "cold", 0, NULL, "empty the caches before every launch (default)", false},
    {WARM, "warm", 0, NULL, "leave in the caches what the launch before left there", false},
    {RESUME, "resume", 0, NULL, "go on where an earlier run with this output ended", false},
    {CHECK, "check", 0, NULL,
     "measure again what ARCHIVE has recorded, and fail if a time\nhas changed by more than the noise",
     false},
    {TIMES, "times", 0, NULL, "print the times of all candidates", false},
    {JSON, "json", 0, NULL, "print JSON, with the times of all candidates", false},
    {EXPORT, "export", 0, "FILE.json", "write the records for `cubinet pack --tuning`, too", false},
    {ROUNDS, "rounds", 0, "N", "time a candidate N times at most (default: 40)", false},
    {RESOLUTION, "resolution", 0, "PERCENT",
     "what two candidates have to differ by, beside the noise\n(default: 1)", false},
    {ALL, "all", 0, NULL, "time every candidate in all rounds, also slow ones", false},
    {SEED, "seed", 0, "N", "another order of the candidates in the rounds", false},
    {HANG, "hang", 0, "SECONDS", "end a kernel that runs this long (default: 30)", false},
    EDIT_SIGN_OPTION,
    EDIT_OPTIONS,
};

static const struct command_help help = {
    .usage = "tune ARCHIVE DESCRIPTION.json [-o FILE] [OPTIONS]",
    .about = "Measures launch configurations of kernels on the GPUs of this machine, and records the fastest "
             "in the\narchive. docs/guide/tune.md says what DESCRIPTION has.",
    .example = "cubinet tune kernels.cubinet tune.json -o tuned.cubinet\n"
               "cubinet tune tuned.cubinet tune.json --check",
    .options = options,
};

static cubinet_status take_resolution(struct tune_request *request, const char *text)
{
    char *end = NULL;
    double percent = strtod(text, &end);
    if (end == text || *end || !(percent >= 0 && percent <= 50)) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "'%s' is not a resolution in percent, 0 to 50",
                         text);
    }
    request->options.resolution = percent / 100;
    return CUBINET_OK;
}

static cubinet_status take_argument(struct tune_request *request, const char *value)
{
    if (!request->archive) {
        request->archive = value;
    } else if (!request->description) {
        request->description = value;
    } else {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "there is one argument too many: '%s'", value);
    }
    return CUBINET_OK;
}

static cubinet_status take_number(struct tune_request *request, int id, const char *value)
{
    uint32_t number = 0;
    cubinet_status status;
    switch (id) {
    case DEVICE:
        status = command_number(value, "a device", 0, MOST_DEVICES - 1, &number);
        request->device = (int)number;
        return status;
    case ROUNDS:
        return command_number(value, "rounds", RACE_LEAST_ROUNDS, 10000, &request->options.rounds);
    case SEED:
        status = command_number(value, "a seed", 0, UINT32_MAX - 1, &number);
        request->options.seed = number;
        return status;
    default:
        return command_number(value, "seconds", 1, 86400, &request->options.hang_seconds);
    }
}

static cubinet_status take_option(void *data, int id, const char *value)
{
    struct tune_request *request = data;
    switch (id) {
    case DEVICE:
    case ROUNDS:
    case SEED:
    case HANG:
        return take_number(request, id, value);
    case ONLY:
        return cbn_text_list_add(&request->only, value);
    case COLD:
    case WARM:
        request->options.is_cold = id == COLD;
        return CUBINET_OK;
    case RESOLUTION:
        return take_resolution(request, value);
    case ALL:
        request->options.keeps_all = true;
        return CUBINET_OK;
    case RESUME:
        request->goes_on = true;
        return CUBINET_OK;
    case CHECK:
        request->checks = true;
        return CUBINET_OK;
    case TIMES:
        request->shows_times = true;
        return CUBINET_OK;
    case JSON:
        request->json = true;
        return CUBINET_OK;
    case EXPORT:
        request->export_path = value;
        return CUBINET_OK;
    case OPTION_POSITIONAL:
        return take_argument(request, value);
    default:
        return edit_take(&request->edit, id, value);
    }
}

static cubinet_status check_outputs(const struct tune_request *request)
{
    struct outputs outputs = {0};
    char *journal = journal_path(request->edit.output);
    if (!journal) {
        return cbn_error_memory();
    }
    outputs_write(&outputs, "the exported file", request->export_path);
    outputs_write(&outputs, "the journal", journal);
    outputs_read(&outputs, "the description", request->description);
    cubinet_status status = edit_check(&request->edit, request->archive, &outputs);
    free(journal);
    return status;
}

static cubinet_status check(struct tune_request *request)
{
    if (!request->description) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "an archive and a description are needed");
    }
    if (request->checks && (request->edit.output || request->goes_on || request->export_path)) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "--check writes nothing: leave --output, --resume and --export out");
    }
    if (!request->edit.output) {
        request->edit.output = request->archive;
    }
    return request->checks ? CUBINET_OK : check_outputs(request);
}

static int run_tune(const struct tune_request *request)
{
    struct tune_work work;
    if (tune_work_open(request, &work)) {
        return command_failed();
    }
    int result = request->checks ? tune_check(&work) : tune_measure(&work);
    tune_work_close(&work);
    return result;
}

static int run(int argc, char **argv)
{
    struct tune_request request = {
        .edit = {.keep_images = true},
        .device = -1,
        .options = {.is_cold = true, .rounds = 40, .resolution = 0.01, .seed = 1, .hang_seconds = 30},
    };
    int result;
    cubinet_status status = command_read(options, argc, argv, take_option, &request, &request.edit.help);
    if (!status && !request.edit.help) {
        status = check(&request);
    }
    if (status) {
        result = command_usage("tune");
    } else if (request.edit.help) {
        command_print_help(&help);
        result = EXIT_OK;
    } else {
        result = run_tune(&request);
    }
    cbn_text_list_free(&request.only);
    edit_free(&request.edit);
    return result;
}

const struct command cmd_tune = {"tune", "measure launches on GPUs and record the fastest", run};
