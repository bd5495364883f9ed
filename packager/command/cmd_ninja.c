/* SPDX-License-Identifier: Apache-2.0 */
#include "base/command.h"
#include "command/commands.h"

#include "base/file.h"
#include "base/terminal.h"
#include "build/build_file.h"
#include "build/build_plan.h"
#include "build/build_request.h"
#include "compile/compile_options.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

static const struct option options[] = {
    BUILD_OPTIONS,
    {BUILD_FILE, "file", 0, "FILE",
     "Ninja file to write (default: print it). Ninja writes it\nagain when the `cubinet` command changes, or "
     "a file of -optf",
     false},
    {BUILD_HELP, "help", 'h', NULL, "print this text", false},
    {0},
};

static const struct command_help help = {
    .usage = "ninja SOURCE... -o ARCHIVE [OPTIONS]",
    .about = "Prints a Ninja file that makes an archive from CUDA sources: one compile for each source "
             "and\nvirtual architecture, and one pack. It includes no other file. Run it in this "
             "folder.\nOptions of `cubinet compile` apply to all sources.",
    .example = "cubinet ninja segsum.cu --kernel 'segsum<float,int,256,4>' saxpy.cu -o kernels.cubinet \\\n"
               "  --arch 80,90 -Iinclude -std=c++17 --file build.ninja\n"
               "ninja",
    .options = options,
    .more = compile_options,
};

/* The arguments that the command was given, its name too. */
static cubinet_status list_arguments(int argc, char **argv, struct cbn_text_list *list)
{
    cubinet_status status = cbn_text_list_add(list, "ninja");
    for (int i = 0; !status && i < argc; i++) {
        status = cbn_text_list_add(list, argv[i]);
    }
    return status;
}

static cubinet_status write_plan(const struct build_request *request, const struct build_plan *plan, int argc,
                                 char **argv)
{
    struct cbn_text_list again = {0};
    char *text = NULL;
    cubinet_status status = list_arguments(argc, argv, &again);
    if (!status) {
        status = build_file_text(request, plan, &again, &text);
    }
    if (!status && request->file) {
        status = file_replace(request->file, text, strlen(text));
    } else if (!status) {
        terminal_bytes(text, strlen(text));
    }
    free(text);
    cbn_text_list_free(&again);
    return status;
}

static cubinet_status write_file(const struct build_request *request, int argc, char **argv, int *out_exit)
{
    struct build_plan plan = {0};
    cubinet_status status = build_plan_make(request, &plan, out_exit);
    if (!status && *out_exit == EXIT_OK) {
        status = write_plan(request, &plan, argc, argv);
    }
    build_plan_free(&plan);
    return status;
}

static int run(int argc, char **argv)
{
    struct build_request request = {0};
    int asked = EXIT_OK;
    cubinet_status status = build_request_read(options, argc, argv, &request);
    if (!status && !request.help) {
        status = write_file(&request, argc, argv, &asked);
    }
    int result = status == CUBINET_ERROR_INVALID_ARGUMENT ? command_usage("ninja") : command_exit(status);
    result = result == EXIT_OK ? asked : result;
    if (request.help) {
        command_print_help(&help);
    }
    build_request_free(&request);
    return result;
}

const struct command cmd_ninja = {"ninja", "print a Ninja file that makes an archive from sources", run};
