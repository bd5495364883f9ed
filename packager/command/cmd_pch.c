/* SPDX-License-Identifier: Apache-2.0 */
/* `cubinet pch`. */
#include "base/colour.h"
#include "base/command.h"
#include "command/commands.h"
#include "compile/compile_arguments.h"
#include "compile/compile_depfile.h"
#include "compile/compile_options.h"
#include "compile/compile_place.h"
#include "compile/compile_plan.h"

#include "archive/output_check.h"
#include "compile/front_end.h"
#include "compile/pch_make.h"
#include "compile/pch_nvrtc.h"
#include "interpose/hidden_headers.h"
#include "interpose/opened_files.h"
#include "loader/core/support/error.h"
#include "process/supervise.h"
#include "process/trace.h"
#include "toolkit/default_device.h"
#include "toolkit/device_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What this run holds. */
struct run {
    struct compile_arguments arguments;
    struct toolkit toolkit;
    struct nvrtc nvrtc;
    char *working_folder;
    char *pretended_folder; /* what the compiler takes for it */
    char *data;             /* the file of the data */
    char *link_folder;      /* for paths that a depfile can't hold */
    struct cbn_text_list options;
    struct pch_record record;
    struct timespec start;
    bool wrong_usage;
};

static void run_free(struct run *run)
{
    compile_arguments_free(&run->arguments);
    toolkit_free(&run->toolkit);
    nvrtc_close(&run->nvrtc);
    cbn_text_list_free(&run->options);
    pch_record_free(&run->record);
    free(run->working_folder);
    free(run->pretended_folder);
    free(run->data);
    free(run->link_folder);
}

static cubinet_status check_outputs(const struct run *run)
{
    const struct compile_arguments *arguments = &run->arguments;
    cubinet_status status = output_check(arguments->output);
    if (!status) {
        status = output_check(run->data);
    }
    return !status && arguments->write_depfile ? output_check(arguments->depfile) : status;
}

static cubinet_status prepare(struct run *run)
{
    const struct compile_arguments *arguments = &run->arguments;
    run->start = inputs_clock();
    cubinet_status status = compile_place_folders(arguments, &run->working_folder, &run->pretended_folder);
    if (status) {
        return status;
    }
    if (asprintf(&run->data, "%s%s", arguments->output, PCH_DATA_SUFFIX) < 0 ||
        asprintf(&run->link_folder, "%s.links", arguments->output) < 0) {
        return cbn_error_memory();
    }
    status = compile_environment_clear(arguments->verbose);
    if (!status) {
        status = check_outputs(run);
    }
    return status ? status : compile_place_toolkit(arguments, &run->toolkit);
}

static cubinet_image_kind first_made(const struct arch_virtual *virtual)
{
    if (arch_makes(virtual, CUBINET_IMAGE_CUBIN) || arch_makes(virtual, CUBINET_IMAGE_PTX)) {
        return 0;
    }
    return arch_makes(virtual, CUBINET_IMAGE_LTOIR) ? CUBINET_IMAGE_LTOIR : CUBINET_IMAGE_OPTIXIR;
}

/* The first pass of a compile with the same options: to PTX if any image is made of that. */
static cubinet_status plan_pass(struct run *run, struct compile_pass *out_pass)
{
    const struct compile_arguments *arguments = &run->arguments;
    const struct compile_plan_request request = {&arguments->gencodes, &arguments->archs, arguments->code,
                                                 arguments->only, false};
    struct arch_plan plan = {0};
    const struct arch_supported supported = {run->nvrtc.supported, run->nvrtc.supported_count,
                                             run->nvrtc.version};
    cubinet_status status = compile_plan_make(&request, &supported, &plan);
    if (!status && plan.virtual_count != 1) {
        status = cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                           "%zu virtual architectures are given: precompiled headers are for one; make a "
                           "file for each",
                           plan.virtual_count);
    }
    if (!status) {
        const struct arch_virtual *virtual = &plan.virtuals[0];
        cubinet_image_kind makes = first_made(virtual);
        *out_pass = (struct compile_pass){
            .target = virtual->target, .makes = makes, .relocatable = makes == CUBINET_IMAGE_OPTIXIR};
    }
    run->wrong_usage = status == CUBINET_ERROR_INVALID_ARGUMENT;
    arch_plan_free(&plan);
    return status;
}

static cubinet_status write_depfile(const struct run *run)
{
    const struct compile_depfile depfile = {
        .arguments = &run->arguments,
        .toolkit = &run->toolkit,
        .working_folder = run->working_folder,
        .link_folder = run->link_folder,
    };
    return run->arguments.write_depfile ? compile_depfile_write(&depfile, &run->record.inputs) : CUBINET_OK;
}

/* The record comes last: what a process that is killed before leaves is not taken for made. */
static cubinet_status write_results(struct run *run, const struct pch_file *file)
{
    char *text = NULL;
    cubinet_status status = write_depfile(run);
    if (!status) {
        status = pch_record_text(&run->record, &text);
    }
    if (!status) {
        status = pch_file_write(file, text);
    }
    free(text);
    return status;
}

/* The same where nothing new was made. */
static cubinet_status touch_results(const struct run *run, const struct pch_file *file)
{
    cubinet_status status = write_depfile(run);
    return status ? status : pch_file_touch(file);
}

/* Headers that changed meanwhile, or that say when they are compiled, can't be precompiled. */
static cubinet_status drop_uncertain(struct run *run)
{
    if (run->record.inputs.certain || run->record.reason) {
        return CUBINET_OK;
    }
    return pch_make_none(run->data, "a header changed while it was read, or says when it is compiled",
                         &run->record);
}

/* Once more with -default-device if headers of the toolkit's lack annotations, as a compile does. */
static cubinet_status make_data(struct run *run, const struct pch_job *job, struct nvrtc_result *result)
{
    const struct cbn_text_list folders = {.items = run->toolkit.includes,
                                          .count = run->toolkit.include_count};
    cubinet_status status = pch_make(job, &run->record, result);
    if (status != CUBINET_ERROR_COMPILE || !result->log ||
        !default_device_is_needed(result->log, &folders, &run->options)) {
        return status;
    }
    nvrtc_result_free(result);
    run->record.default_device = true;
    status = cbn_text_list_add(&run->options, "-default-device");
    return status ? status : pch_make(job, &run->record, result);
}

/* Runs NVRTC. Its messages are printed if it refuses the headers; otherwise compiles print them. */
static cubinet_status precompile(struct run *run, struct compile_work *work, const struct compile_pass *pass)
{
    const struct pch_job job = {
        .nvrtc = &run->nvrtc,
        .options = &run->options,
        .pretended_folder = compile_pretended_folder(work),
        .data = run->data,
    };
    struct opened_files files = {0};
    struct nvrtc_result result = {0};
    compile_say(work, "nvrtc", &run->options);
    opened_files_start();
    device_headers_hide(&run->toolkit);
    trace_begin("NVRTC", compile_name_of(pass->target).text);
    cubinet_status status = make_data(run, &job, &result);
    trace_end();
    hidden_headers_stop();
    cubinet_status stopped = opened_files_stop(&files);
    if (status == CUBINET_ERROR_COMPILE) {
        status = compile_report(work, &result, pass->target, status);
        inputs_note_unreadable(&files, work->messages);
        colour_messages(stderr, work->messages->data ? work->messages->data : "");
    }
    nvrtc_result_free(&result);
    status = status ? status : stopped;
    if (!status) {
        status = inputs_gather(NULL, &files, &run->toolkit, run->start, &run->record.inputs);
    }
    opened_files_free(&files);
    return status ? status : drop_uncertain(run);
}

/* Whether what is there already is what would be made. */
static bool is_made(struct run *run)
{
    struct pch_record record;
    struct buffer why = {0};
    bool made = pch_record_read(run->arguments.output, &record, &why);
    if (made) {
        made = !record.reason && pch_record_fits(&record, &run->record.setting, &why) &&
               record.library == pch_nvrtc_address(&run->nvrtc) && pch_data_is(run->data, &record.data);
        if (made) {
            pch_record_free(&run->record);
            run->record = record;
        } else {
            pch_record_free(&record);
        }
    }
    buffer_free(&why);
    return made;
}

static cubinet_status make(struct run *run, struct compile_work *work, const struct compile_pass *pass,
                           const char *reason)
{
    struct pch_file file;
    cubinet_status status = pch_file_lock(run->arguments.output, &file);
    if (status) {
        return status;
    }
    if (file.lock == FILE_LOCKED) {
        pch_remove_left(run->data);
    }
    bool is_known = !reason && is_made(run);
    if (reason) {
        status = pch_make_none(run->data, reason, &run->record);
    } else if (!is_known) {
        status = precompile(run, work, pass);
    }
    if (!status && run->record.reason) {
        command_warning("%s: headers are not precompiled: %s", run->arguments.output, run->record.reason);
    }
    if (!status) {
        status = is_known ? touch_results(run, &file) : write_results(run, &file);
    }
    pch_file_unlock(&file);
    return status;
}

static bool has_header(const struct compile_arguments *arguments)
{
    for (size_t i = 0; i < arguments->nvrtc_options.count; i++) {
        if (strncmp(arguments->nvrtc_options.items[i], "-include=", strlen("-include=")) == 0) {
            return true;
        }
    }
    return false;
}

/* Finds out what to make with the toolkit, and makes it. */
static cubinet_status make_with_nvrtc(struct run *run, const char *reason)
{
    const struct compile_arguments *arguments = &run->arguments;
    struct buffer messages = {0};
    const struct compile_arguments asked = {
        /* of the others, none is to have an effect */
        .source = arguments->source,
        .module = (char[]){"pch"},
        .nvrtc_options = arguments->nvrtc_options,
        .device_headers = arguments->device_headers,
        .verbose = arguments->verbose,
    };
    struct compile_tools tools = {.toolkit = &run->toolkit, .nvrtc = run->nvrtc};
    struct compile_work work = {
        .tools = &tools,
        .arguments = &asked,
        .working_folder = run->pretended_folder,
        .messages = &messages,
        .text = "\n",
        .implicit_headers = true,
    };
    struct compile_pass pass = {0};
    cubinet_status status = plan_pass(run, &pass);
    if (!status) {
        trace_subject("precompiled headers", compile_name_of(pass.target).text);
        status = compile_pass_options(&work, &pass, &run->options);
    }
    if (!status) {
        status =
            pch_setting_make(&run->options, run->working_folder, run->toolkit.nvrtc, &run->record.setting);
    }
    if (!status) {
        status = make(run, &work, &pass, reason);
    }
    status = supervise_explain(status, &messages);
    buffer_free(&messages);
    return status;
}

static cubinet_status run_all(struct run *run)
{
    if (!has_header(&run->arguments)) {
        run->wrong_usage = true;
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "no header is given");
    }
    char *reason = NULL;
    cubinet_status status = prepare(run);
    if (!status) {
        const struct cbn_library_search search = {.what = "NVRTC", .path = run->toolkit.nvrtc, .stays = true};
        status = pch_nvrtc_open(&search, &run->nvrtc, &reason);
    }
    if (!status) {
        status = make_with_nvrtc(run, reason);
    }
    free(reason);
    return status;
}

static const struct command_help help = {
    .usage = "pch HEADER... -o FILE --arch WORDS [OPTIONS]",
    .about =
        "Precompiles headers for compiles that include them first, with -include HEADER and --pch "
        "FILE.\nWrites FILE, which describes the result, and FILE.data, which takes 60 to 240 MB.\n"
        "\n"
        "HEADER is <x> or \"x\" as in an #include, or a path. WORDS name one virtual architecture. Give\nthe "
        "same options that affect headers as to the compiles; other options of `cubinet compile` have\nno "
        "effect. -MD, -MF, -MT and -MP write a depfile; --timeout and --memory-limit set limits.",
    .example = "cubinet pch '<cub/cub.cuh>' -o cub.80.pch --arch 80 -std=c++17\n"
               "cubinet compile sort.cu -include cub/cub.cuh --pch cub.80.pch --arch 80 -std=c++17",
    .more = compile_options,
};

static int run_expanded(int argc, char **argv)
{
    struct run run = {0};
    if (compile_arguments_read_pch(argc, argv, &run.arguments)) {
        return command_usage("pch");
    }
    if (run.arguments.help) {
        command_print_help(&help);
        run_free(&run);
        return EXIT_OK;
    }
    int result;
    if (!supervise(&run.arguments.limits, run.arguments.output, &result)) {
        cubinet_status status = run_all(&run);
        result = run.wrong_usage ? command_usage("pch") : command_exit(status);
    }
    run_free(&run);
    return result;
}

static int run_command(int argc, char **argv)
{
    struct arguments arguments;
    if (compile_arguments_expand(argc, argv, &arguments)) {
        return command_usage("pch");
    }
    int status = run_expanded(arguments.count, arguments.values);
    arguments_free(&arguments);
    return status;
}

const struct command cmd_pch = {"pch", "precompile headers for compiles", run_command};
