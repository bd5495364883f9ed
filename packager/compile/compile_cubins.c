/* SPDX-License-Identifier: Apache-2.0 */
/* Machine code, which ptxas or nvJitLink assembles of PTX. */
#include "compile/compile_cubins.h"

#include "loader/core/support/error.h"
#include "loader/core/support/text.h"
#include "process/trace.h"
#include "toolkit/assemble_all.h"
#include "toolkit/assembler_log.h"
#include "toolkit/ptxas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SPLIT_RELEASE = 12080,              /* whose ptxas, in nvJitLink too, takes -split-compile */
    CONTROLS_RELEASE = 13030,           /* whose ptxas takes --apply-controls */
    NVJITLINK_CONTROLS_RELEASE = 13040, /* and nvJitLink hands it on */
};

/* Looks what the ptxas is that was found: by default it must be of NVRTC's release, or nvJitLink assembles.
 */
static cubinet_status check_ptxas(struct compile_work *work)
{
    struct compile_tools *tools = work->tools;
    const char *program = tools->toolkit->ptxas;
    if (!program || work->arguments->relocatable || tools->ptxas_is_known) {
        return CUBINET_OK;
    }
    trace_begin("check ptxas", NULL);
    cubinet_status status = ptxas_version(program, &tools->ptxas_version);
    trace_end();
    if (status) {
        return status;
    }
    int wanted = tools->nvrtc.version;
    tools->ptxas_is_known = true;
    if (work->arguments->assembler || tools->ptxas_version == wanted) {
        tools->ptxas = program;
    } else if (work->arguments->verbose) {
        fprintf(stderr, "%s is of CUDA %d.%d, and NVRTC of %d.%d: nvJitLink assembles\n", program,
                tools->ptxas_version / 1000, tools->ptxas_version % 1000 / 10, wanted / 1000,
                wanted % 1000 / 10);
    }
    return CUBINET_OK;
}

/* Adds what nvJitLink and ptxas said to the messages. */
static struct assembler_said report_log(struct compile_work *work, const char *log, cubinet_target target)
{
    struct buffer subject = {0};
    buffer_printf(&subject, "%s: %s", work->arguments->source, compile_name_of(target).text);
    struct assembler_said said = {0};
    if (subject.failed) {
        work->messages->failed = true;
    } else {
        said = assembler_log_append(log, subject.data, work->arguments->no_warnings, work->messages);
    }
    if (strstr(log, "Unresolved extern") || strstr(log, "Undefined reference")) {
        buffer_printf(
            work->messages,
            "%s: note: what the source only declares must come from another; give both to `cubinet build` "
            "with --module once, or compile both for LTO-IR (--arch 80-lto) and join them with `cubinet "
            "link`\n",
            work->arguments->source);
    }
    work->warnings += said.warnings;
    buffer_free(&subject);
    return said;
}

/* Makes the error one line, which says what failed for which target; the log goes to the messages. */
static cubinet_status fail_assembling(struct compile_work *work, cubinet_status status, const char *error,
                                      cubinet_target target)
{
    struct compile_name name = compile_name_of(target);
    const char *log = assembler_log_in(error);
    bool is_listed = log && (strchr(error, '\n') || strncmp(log, "error", strlen("error")) == 0);
    struct assembler_said said = is_listed ? report_log(work, log, target) : (struct assembler_said){0};
    if (said.errors > 0) {
        status = cbn_error(status, "%s: %zu error%s when assembled for %s", work->arguments->source,
                           said.errors, said.errors == 1 ? "" : "s", name.text);
    } else {
        status = cbn_error(status, "%s: %s cannot be assembled: %.*s", work->arguments->source, name.text,
                           (int)strcspn(error, "\n"), error);
    }
    return status;
}

/* Reads the device runtime if the PTX calls it: `out_data` stays NULL if it does not. */
static cubinet_status read_device_runtime(struct compile_work *work, const char *ptx,
                                          struct device_runtime *out_runtime)
{
    char *function = work->arguments->no_device_runtime ? NULL : device_runtime_function(ptx);
    if (!function) {
        return CUBINET_OK;
    }
    struct compile_tools *tools = work->tools;
    cubinet_status status = device_runtime_read(tools->toolkit->device_runtime, work->arguments->source,
                                                function, &tools->device_runtime);
    free(function);
    *out_runtime = tools->device_runtime;
    return status;
}

static bool names_split(const struct cbn_text_list *options)
{
    for (size_t i = 0; i < options->count; i++) {
        if (strstr(options->items[i], "split-compile")) {
            return true;
        }
    }
    return false;
}

/* Earlier releases take the file for PTX, or the option for one that does not exist. */
static cubinet_status check_controls(const struct compile_work *work, bool is_ptxas, int version)
{
    static const char option[] = "-Xptxas=--apply-controls=";
    const struct cbn_text_list *options = &work->arguments->nvjitlink_options;
    int since = is_ptxas ? CONTROLS_RELEASE : NVJITLINK_CONTROLS_RELEASE;
    for (size_t i = 0; version > 0 && version < since && i < options->count; i++) {
        if (cbn_starts_with(options->items[i], option)) {
            return cbn_error(
                CUBINET_ERROR_TOOLKIT,
                "%s of CUDA %d.%d takes no compiler controls ('%s'); %s, or leave --apply-controls out",
                is_ptxas ? "ptxas" : "nvJitLink", version / 1000, version % 1000 / 10,
                options->items[i] + strlen(option),
                is_ptxas ? "that of CUDA 13.3 or later does: name its toolkit with --toolkit, or the "
                           "program with --assembler"
                         : "that of CUDA 13.4 or later does, and ptxas of CUDA 13.3 or later: name a "
                           "toolkit with --toolkit");
        }
    }
    return CUBINET_OK;
}

/* The jobs of all cubins of one virtual architecture have all but their target in common. */
static cubinet_status open_assembler(struct compile_work *work, const struct compile_ptx *ptx,
                                     struct assemble_job *out_job, int *out_version)
{
    struct device_runtime runtime = {0}; /* stays the tools' */
    struct compile_tools *tools = work->tools;
    cubinet_status status = read_device_runtime(work, ptx->text, &runtime);
    if (!status && !runtime.data) {
        status = check_ptxas(work);
    }
    const char *ptxas = runtime.data ? NULL : tools->ptxas;
    if (!status && !ptxas) {
        status = compile_open_nvjitlink(tools);
    }
    int version = ptxas ? tools->ptxas_version : tools->nvjitlink.version;
    if (!status) {
        status = check_controls(work, ptxas != NULL, version);
    }
    if (status) {
        return status;
    }
    *out_job = (struct assemble_job){
        .ptx = ptx->text,
        .size = ptx->size,
        .contents = ptx->contents,
        .device_runtime = runtime.data,
        .device_runtime_size = runtime.size,
        .ptxas = ptxas,
        .options = (const char *const *)work->arguments->nvjitlink_options.items,
        .option_count = work->arguments->nvjitlink_options.count,
        .store = work->store,
    };
    *out_version = version;
    return CUBINET_OK;
}

static void say(const struct compile_work *work, const struct assemble_job *job)
{
    char program[sizeof("nvjitlink -arch=") + CUBINET_TARGET_NAME_SIZE];
    snprintf(program, sizeof(program), "%s -arch=%s", job->ptxas ? "ptxas" : "nvjitlink",
             compile_name_of(job->target).text);
    compile_say(work, program, &work->arguments->nvjitlink_options);
}

/* Reports one part's outcome, and takes its bytes. */
static cubinet_status take_cubin(struct compile_work *work, cubinet_target target,
                                 struct assemble_outcome *outcome, struct draft_part *out_part)
{
    struct assembled *made = &outcome->made;
    if (outcome->status) {
        return outcome->error ? fail_assembling(work, outcome->status, outcome->error, target)
                              : cbn_error_memory();
    }
    report_log(work, made->log, target);
    *out_part = (struct draft_part){made->data, made->size, &made->contents};
    return CUBINET_OK;
}

static void say_found(const struct compile_work *work, cubinet_target target,
                      const struct assemble_outcome *outcomes, size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        found += outcomes[i].made.is_found;
    }
    if (found == 0 || !work->arguments->verbose) {
        return;
    }
    if (count == 1) {
        fprintf(stderr, "%s: machine code from the cache\n", compile_name_of(target).text);
    } else {
        fprintf(stderr, "%s: machine code of %zu of %zu parts from the cache\n", compile_name_of(target).text,
                found, count);
    }
}

/* Files the cubins of one target: `count` outcomes, one for each part. */
static cubinet_status file_cubins(struct compile_work *work, cubinet_target target,
                                  struct assemble_outcome *outcomes, size_t count, int toolkit)
{
    struct draft_part *parts = calloc(count, sizeof(*parts));
    cubinet_status status = parts ? CUBINET_OK : cbn_error_memory();
    say_found(work, target, outcomes, count);
    for (size_t i = 0; !status && i < count; i++) {
        status = take_cubin(work, target, &outcomes[i], &parts[i]);
    }
    if (!status) {
        for (size_t i = 0; i < count; i++) {
            outcomes[i].made.data = NULL; /* they are the draft's */
        }
        status = compile_file_parts(work, work->module, target, parts, count, toolkit);
    }
    free(parts);
    return status;
}

static cubinet_status assemble_jobs(struct compile_work *work, const struct assemble_job *jobs, size_t count,
                                    size_t part_count, int version)
{
    struct assemble_outcome *outcomes = calloc(count, sizeof(*outcomes));
    bool can_split =
        part_count == 1 && version >= SPLIT_RELEASE && !names_split(&work->arguments->nvjitlink_options);
    cubinet_status status = outcomes ? CUBINET_OK : cbn_error_memory();
    if (!status) {
        assemble_all(&work->tools->nvjitlink, jobs, count, can_split, outcomes);
    }
    for (size_t i = 0; !status && i < count; i += part_count) {
        status = file_cubins(work, jobs[i].target, &outcomes[i], part_count,
                             version ? version : work->tools->nvrtc.version);
    }
    if (outcomes) {
        assemble_outcomes_free(outcomes, count);
    }
    free(outcomes);
    return status;
}

/* Adds a job for each part of a target. */
static void add_jobs(const struct compile_parts *parts, const struct assemble_job *like,
                     cubinet_target target, struct assemble_job *jobs)
{
    for (size_t i = 0; i < parts->count; i++) {
        jobs[i] = *like;
        jobs[i].target = target;
        jobs[i].ptx = parts->items[i].text;
        jobs[i].size = parts->items[i].size;
        jobs[i].contents = parts->items[i].contents;
    }
}

cubinet_status compile_cubins(struct compile_work *work, const struct arch_virtual *virtual,
                              const struct compile_parts *parts)
{
    struct assemble_job *jobs = calloc(virtual->output_count * parts->count + 1, sizeof(*jobs));
    cubinet_status status = jobs ? CUBINET_OK : cbn_error_memory();
    struct assemble_job job = {0};
    size_t count = 0;
    int version = 0;
    for (size_t i = 0; !status && i < virtual->output_count; i++) {
        if (virtual->outputs[i].kind != CUBINET_IMAGE_CUBIN) {
            continue;
        }
        if (count == 0) {
            status = open_assembler(work, parts->items, &job, &version);
        }
        if (!status) {
            add_jobs(parts, &job, virtual->outputs[i], &jobs[count]);
            say(work, &jobs[count]);
            count += parts->count;
        }
    }
    if (!status && count > 0) {
        status = assemble_jobs(work, jobs, count, parts->count, version);
    }
    free(jobs);
    return status;
}
