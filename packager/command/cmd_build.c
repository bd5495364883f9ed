/* SPDX-License-Identifier: Apache-2.0 */
#include "base/command.h"
#include "command/build_outcome.h"
#include "command/commands.h"
#include "command/made.h"

#include "base/file.h"
#include "base/folder.h"
#include "build/build_environment.h"
#include "build/build_file.h"
#include "build/build_history.h"
#include "build/build_plan.h"
#include "build/build_profile.h"
#include "build/build_request.h"
#include "build/build_steps.h"
#include "build/ninja_log.h"
#include "build/run_ninja.h"
#include "compile/compile_options.h"
#include "loader/core/support/error.h"
#include "process/build_notes.h"
#include "process/threads.h"
#include "process/trace.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option options[] = {
    BUILD_OPTIONS,
    {BUILD_JOBS, "jobs", 'j', "N", "threads of all compiles together (default: one for each\nprocessor)",
     false},
    {BUILD_QUIET, "quiet", 'q', NULL, "print no progress", false},
    {BUILD_PROFILE, "profile", 0, NULL, "print which headers and modules took the time", false},
    {BUILD_JSON, "json", 0, NULL,
     "print JSON: what was made, cache hits, times;\nNinja's output goes to standard error", false},
    {BUILD_COLOR, "color", 0, "WHEN",
     "colour messages: auto (default: on a terminal, unless NO_COLOR\nis set), always or never", false},
    {BUILD_HELP, "help", 'h', NULL, "print this text", false},
    {0},
};

static const struct command_help help = {
    .usage = "build SOURCE... -o ARCHIVE [OPTIONS]",
    .about = "Makes an archive from CUDA sources: writes a Ninja file into a build folder and runs "
             "Ninja.\nRun it again to update the archive. Options of `cubinet compile` apply to all sources.",
    .example = "cubinet build segsum.cu --kernel 'segsum<float,int,256,4>' saxpy.cu -o kernels.cubinet \\\n"
               "  --arch 80,90 -Iinclude -std=c++17",
    .options = options,
    .more = compile_options,
};

/* The first line of what is written into the folder. */
#define MADE_HERE "# Made by `cubinet build`.\n"

/* Version control has no use for what is in the folder. Who has a file of that name there has other uses. */
static cubinet_status write_gitignore(const char *folder)
{
    static const char text[] = MADE_HERE "*\n";
    char *path = NULL;
    if (asprintf(&path, "%s/.gitignore", folder) < 0) {
        return cbn_error_memory();
    }
    cubinet_status status =
        access(path, F_OK) == 0 ? CUBINET_OK : file_replace_if_different(path, text, sizeof(text) - 1);
    free(path);
    return status;
}

/* The folder may be one that another build system, or the user, has a Ninja file in. */
static cubinet_status check_ninja_file(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    if (access(path, F_OK) != 0) {
        return CUBINET_OK;
    }
    cubinet_status status = file_read(path, &text, &size);
    if (!status && size > 0 && strncmp(text, MADE_HERE, strlen(MADE_HERE)) != 0) {
        status =
            cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                      "'%s' was not made by `cubinet build`, and would be lost: give another folder with "
                      "--build-dir",
                      path);
    }
    free(text);
    return status;
}

/* Whether a file's name is that of a precompiled header for the architecture, or starts with it: its data. */
static bool is_for(const char *name, cubinet_target target)
{
    char text[CUBINET_TARGET_NAME_SIZE];
    cubinet_target_name(target, text);
    const char *rest = name + strlen(BUILD_PCH_PREFIX);
    size_t size = strlen(text);
    return strncmp(rest, text, size) == 0 && (rest[size] == '\0' || rest[size] == '.');
}

static bool is_wanted(const char *name, const struct build_request *request, const struct build_plan *plan)
{
    for (size_t i = 0; request->headers.count > 0 && i < plan->images.virtual_count; i++) {
        if (is_for(name, plan->images.virtuals[i].target)) {
            return true;
        }
    }
    return false;
}

/* Removes what earlier builds left in the folder and takes much room: precompiled headers for architectures
 * that are no longer asked for. What can't be removed stays. */
static void sweep(const struct build_request *request, const struct build_plan *plan)
{
    static const char start[] = BUILD_PCH_PREFIX "compute_";
    DIR *folder = opendir(request->folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        const char *name = entry->d_name;
        size_t size = strlen(name);
        bool is_object = size > strlen(".cubinet") && strstr(name, ".cubinet");
        if (strncmp(name, start, strlen(start)) == 0 && !is_object && !is_wanted(name, request, plan)) {
            unlinkat(dirfd(folder), name, 0);
        }
    }
    if (folder) {
        closedir(folder);
    }
}

static cubinet_status write_file(const struct build_request *request, const struct build_plan *plan,
                                 const char *path)
{
    char *text = NULL;
    cubinet_status status = build_file_text(request, plan, NULL, &text);
    if (!status) {
        status = check_ninja_file(path);
    }
    if (!status) {
        status = folder_make_all(request->folder);
    }
    if (!status) {
        status = run_ninja_lock(request->folder);
    }
    if (!status) {
        status = write_gitignore(request->folder);
    }
    if (!status) {
        status = build_environment_write(request, plan);
    }
    if (!status) {
        status = file_replace_if_different(path, text, strlen(text));
    }
    if (!status) {
        sweep(request, plan);
    }
    free(text);
    return status;
}

static cubinet_status run_steps(const struct build_request *request, const struct build_plan *plan,
                                const char *path, struct ninja_output *output, int *out_exit,
                                struct ninja_steps *out_steps)
{
    json_t *before = ninja_log_read(request->folder);
    json_t *history = before ? build_history(request, plan, before) : NULL;
    const struct ninja_run ninja = {path, request->jobs, build_history_seconds, history};
    output->progress.lanes = threads_of_build(request->jobs);
    cubinet_status status = history ? run_ninja(&ninja, output, out_exit) : cbn_error_memory();
    if (!status) {
        status = ninja_log_steps(request->folder, before, out_steps);
    }
    json_decref(history);
    json_decref(before);
    return status;
}

static cubinet_status tell(const struct build_request *request, struct build_outcome *outcome)
{
    build_notes_read(&outcome->notes);
    if (request->json) {
        return build_outcome_print_json(outcome);
    }
    cubinet_status status = request->quiet ? CUBINET_OK : build_outcome_print(outcome);
    return !status && request->profile ? build_profile_print() : status;
}

/* Runs Ninja, and tells what was made. */
static cubinet_status run_ninja_and_tell(const struct build_request *request, const struct build_plan *plan,
                                         const char *path, int *out_exit)
{
    struct ninja_output output;
    struct build_outcome outcome = {.request = request, .plan = plan, .warnings = &output.warnings};
    double start = made_seconds(0);
    ninja_output_init(&output, request->json ? stderr : stdout, request->quiet);
    cubinet_status status = run_steps(request, plan, path, &output, out_exit, &outcome.steps);
    if (!status && *out_exit == EXIT_OK) {
        outcome.seconds = made_seconds(start);
        status = tell(request, &outcome);
    }
    build_notes_free(&outcome.notes);
    ninja_steps_free(&outcome.steps);
    ninja_output_free(&output);
    return status;
}

static cubinet_status run_plan(const struct build_request *request, const struct build_plan *plan,
                               const char *path, int *out_exit)
{
    cubinet_status status = write_file(request, plan, path);
    if (!status) {
        status = threads_offer(request->folder, request->jobs);
    }
    if (!status) {
        status = build_notes_offer(request->folder);
    }
    if (!status && request->profile) {
        status = build_profile_start(request->folder);
    }
    return status ? status : run_ninja_and_tell(request, plan, path, out_exit);
}

static cubinet_status build(const struct build_request *request, int *out_exit)
{
    struct build_plan plan = {0};
    char *path = NULL;
    if (asprintf(&path, "%s/build.ninja", request->folder) < 0) {
        return cbn_error_memory();
    }
    cubinet_status status = build_plan_make(request, &plan, out_exit);
    if (!status && *out_exit == EXIT_OK) {
        status = run_plan(request, &plan, path, out_exit);
    }
    build_plan_free(&plan);
    free(path);
    return status;
}

static int run(int argc, char **argv)
{
    struct build_request request = {.runs_ninja = true};
    int ninjas = EXIT_OK;
    cubinet_status status = build_request_read(options, argc, argv, &request);
    trace_subject(request.archive, NULL);
    if (!status && !request.help) {
        status = build(&request, &ninjas);
    }
    int result = status == CUBINET_ERROR_INVALID_ARGUMENT ? command_usage("build") : command_exit(status);
    result = result == EXIT_OK ? ninjas : result;
    if (request.help) {
        command_print_help(&help);
    }
    build_request_free(&request);
    return result;
}

const struct command cmd_build = {"build", "make an archive from sources, with Ninja", run};
