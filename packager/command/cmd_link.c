/* SPDX-License-Identifier: Apache-2.0 */
/* `cubinet link`. */
#include "base/colour.h"
#include "base/command.h"
#include "command/commands.h"

#include "archive/archive_writer.h"
#include "archive/output_check.h"
#include "cache/command_cache.h"
#include "compile/compile_place.h"
#include "compile/compile_plan.h"
#include "interpose/opened_files.h"
#include "link/link_ahead.h"
#include "link/link_arguments.h"
#include "link/link_depfile.h"
#include "link/link_inputs.h"
#include "link/link_module.h"
#include "loader/core/support/error.h"
#include "loader/link/linker.h"
#include "process/supervise.h"
#include "process/trace.h"
#include "toolkit/toolkit.h"

#include <stdio.h>

struct run {
    struct link_arguments arguments;
    struct arch_plan plan;
    struct link_inputs pieces;
    struct link_inputs libraries;
    struct draft draft;
    struct buffer messages;
};

/* LTO-IR is what goes in. */
static cubinet_status check_plan(const struct arch_plan *plan)
{
    for (size_t i = 0; i < plan->virtual_count; i++) {
        for (size_t j = 0; j < plan->virtuals[i].output_count; j++) {
            if (plan->virtuals[i].outputs[j].kind == CUBINET_IMAGE_OPTIXIR) {
                return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                                 "a link makes cubins and PTX; OptiX-IR is made by `cubinet compile`");
            }
            if (plan->virtuals[i].outputs[j].kind == CUBINET_IMAGE_LTOIR) {
                return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                                 "a link makes cubins and PTX; LTO-IR is made by `cubinet compile` and kept "
                                 "with --keep-pieces");
            }
        }
    }
    return CUBINET_OK;
}

static cubinet_status make_plan(const struct link_arguments *arguments, struct arch_plan *plan)
{
    const struct arch_supported unknown = {0}; /* nvJitLink does not list what it makes */
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < arguments->archs.count; i++) {
        status = arch_add_words(plan, arguments->archs.items[i], &unknown, compile_plan_ask_native);
    }
    return status ? status : check_plan(plan);
}

/* Files modules of the archives beside what was linked. */
static cubinet_status keep_pieces(const struct link_inputs *inputs, struct draft *draft)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; i < inputs->count; i++) {
        const struct link_input *input = &inputs->items[i];
        for (uint32_t j = 0; !status && j < input->module_count; j++) {
            status = draft_add_archive_module(draft, input->archive, input->first_module + j, input->path);
        }
    }
    return status;
}

static cubinet_status open_inputs(struct run *run)
{
    const struct link_arguments *arguments = &run->arguments;
    cubinet_status status = link_inputs_open(&arguments->pieces, false, &run->pieces);
    if (!status) {
        status = link_inputs_open(&arguments->libraries, true, &run->libraries);
    }
    if (!status) {
        status = output_check(arguments->output);
    }
    return !status && arguments->write_depfile ? output_check(arguments->depfile) : status;
}

/* Links, and tells what was read beside the inputs. */
static cubinet_status link_noting(struct run *run, struct opened_files *out_opened)
{
    const struct link_arguments *arguments = &run->arguments;
    const struct link_request request = {
        .module = arguments->module,
        .toolkit = arguments->toolkit,
        .nvjitlink = arguments->nvjitlink,
        .plan = &run->plan,
        .pieces = &run->pieces,
        .libraries = &run->libraries,
        .options = &arguments->options,
        .required = &arguments->required,
        .parts = arguments->parts,
        .no_device_runtime = arguments->no_device_runtime,
        .verbose = arguments->verbose,
    };
    opened_files_start();
    cubinet_status status = link_module(&request, &run->draft, &run->messages);
    cubinet_status stopped = opened_files_stop(out_opened);
    return status ? status : stopped;
}

/* The archive comes last: a build tool that finds it finds the depfile, too. */
static cubinet_status write_results(const struct run *run, const struct opened_files *opened)
{
    const struct link_arguments *arguments = &run->arguments;
    const struct link_depfile depfile = {arguments, &run->pieces, &run->libraries, opened};
    cubinet_status status = arguments->write_depfile ? link_depfile_write(&depfile) : CUBINET_OK;
    return status ? status : archive_write_file(&run->draft, &arguments->writer, arguments->output);
}

static cubinet_status link_and_write(struct run *run)
{
    struct opened_files opened = {0};
    cubinet_status status = open_inputs(run);
    if (!status) {
        status = link_noting(run, &opened);
    }
    if (!status && run->arguments.keep_pieces) {
        status = keep_pieces(&run->pieces, &run->draft);
    }
    if (!status) {
        status = write_results(run, &opened);
    }
    opened_files_free(&opened);
    return status;
}

static cubinet_status verdict(const struct link_ahead_result *result)
{
    printf("%zu linked, %zu in the cache already, %zu %s no link\n", result->linked, result->present,
           result->unlinked, result->unlinked == 1 ? "load needs" : "loads need");
    return result->failed == 0 ? CUBINET_OK
                               : cbn_error(CUBINET_ERROR_LINK, "%zu %s could not be linked", result->failed,
                                           result->failed == 1 ? "module" : "modules");
}

/* The named toolkit's nvJitLink; else NULL, for the one that programs find; or the build toolkit's if they
 * would find none. */
static cubinet_status choose_linker(const char *root, struct toolkit *toolkit, const char **out_path)
{
    const struct cbn_linker_need any = {0};
    const struct cbn_linker *linker = NULL;
    bool fits = false;
    if (!root && !cbn_linker_find(&any, &linker, &fits)) {
        return CUBINET_OK;
    }
    cubinet_status status = toolkit_find(root, NULL, toolkit);
    *out_path = !status ? toolkit->nvjitlink : NULL;
    return root ? status : CUBINET_OK;
}

static cubinet_status fill_cache(struct run *run)
{
    const struct link_arguments *arguments = &run->arguments;
    struct toolkit toolkit = {0};
    struct command_cache cache = {0};
    struct link_ahead_request request = {
        .archives = &run->pieces,
        .devices = &arguments->devices,
        .nvjitlink = arguments->nvjitlink,
        .verbose = arguments->verbose,
    };
    struct link_ahead_result result = {0};
    cubinet_status status = link_inputs_open(&arguments->pieces, true, &run->pieces);
    if (!status && !request.nvjitlink) {
        status = choose_linker(arguments->toolkit, &toolkit, &request.nvjitlink);
    }
    if (!status) {
        /* The folder has to be there, and usable: nothing else is the point. */
        const struct command_cache_request where = {.directory = arguments->cache,
                                                    .remote = arguments->remote_cache,
                                                    .flags = CUBINET_CACHE_REQUIRE_DIRECTORY,
                                                    .verbose = arguments->verbose};
        status = command_cache_open(&where, &cache);
        request.cache = cache.cache;
    }
    if (!status) {
        status = link_ahead(&request, &result);
    }
    command_cache_close(&cache);
    toolkit_free(&toolkit);
    return status ? status : verdict(&result);
}

static void run_free(struct run *run)
{
    draft_free(&run->draft);
    link_inputs_free(&run->pieces);
    link_inputs_free(&run->libraries);
    arch_plan_free(&run->plan);
    buffer_free(&run->messages);
    link_arguments_free(&run->arguments);
}

static int run_planned(struct run *run)
{
    cubinet_status status = compile_environment_clear(run->arguments.verbose);
    if (!status) {
        status = make_plan(&run->arguments, &run->plan);
    }
    bool wrong_usage = status == CUBINET_ERROR_INVALID_ARGUMENT;
    if (!status) {
        compile_plan_trace(run->arguments.module, &run->plan);
        status = run->arguments.all ? fill_cache(run) : link_and_write(run);
    }
    colour_messages(stderr, run->messages.data ? run->messages.data : "");
    status = supervise_explain(status, &run->messages);
    return wrong_usage ? command_usage("link") : command_exit(status);
}

static int run_link(int argc, char **argv)
{
    struct run run = {0};
    if (link_arguments_read(argc, argv, &run.arguments)) {
        return command_usage("link");
    }
    if (run.arguments.help) {
        link_arguments_help();
        run_free(&run);
        return EXIT_OK;
    }
    int result;
    const char *subject = run.arguments.output ? run.arguments.output : run.arguments.pieces.items[0];
    if (!supervise(&run.arguments.limits, subject, &result)) {
        result = run_planned(&run);
    }
    run_free(&run);
    return result;
}

const struct command cmd_link = {"link", "link pieces of device code into one module", run_link};
