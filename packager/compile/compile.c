/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/compile.h"

#include "base/file.h"
#include "compile/compile_cubins.h"
#include "compile/compile_ltoir.h"
#include "compile/compile_tile.h"
#include "compile/front_end.h"
#include "compile/launch_listing.h"
#include "compile/refused_names.h"
#include "loader/core/support/error.h"
#include "process/threads.h"
#include "ptx/reading/ptx.h"
#include "ptx/reading/ptx_symbols.h"
#include "source/kernel_parameters.h"
#include "source/lambda_annotations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a source, leaving out a byte-order mark, which NVRTC takes for an error. */
static cubinet_status read_source(const char *path, char **out_data, const char **out_text)
{
    static const char mark[] = "\xef\xbb\xbf";
    char *data = NULL;
    size_t size = 0;
    cubinet_status status = file_read(path, &data, &size);
    if (status) {
        return status;
    }
    if (strlen(data) != size) {
        status =
            cbn_error(CUBINET_ERROR_COMPILE, "%s: there is a zero byte at offset %zu: this is not a source",
                      path, strlen(data));
        free(data);
        return status;
    }
    *out_data = data;
    *out_text = strncmp(data, mark, strlen(mark)) == 0 ? data + strlen(mark) : data;
    return CUBINET_OK;
}

/* Of host code that uses no template of kernels, as far as can be seen, nvcc makes no kernels either, but for
 * those that CUB's and Thrust's algorithms choose. */
static bool has_host_code_alone(const struct compile_work *work)
{
    return work->skips_host_code && work->used_kernels.count == 0 && work->arguments->kernels.count == 0;
}

static cubinet_status check_has_kernels(struct compile_work *work, const struct contents *contents)
{
    if (contents->kernel_count > 0 || work->tile_kernels.count > 0 || work->arguments->relocatable) {
        return CUBINET_OK;
    }
    if (has_host_code_alone(work)) {
        if (!work->arguments->no_warnings && work->warnings == 0) {
            buffer_printf(work->messages,
                          "%s: warning: it has no kernels; those that its host code launches through CUB and "
                          "Thrust, or unseen, are compiled when they are named with --kernel\n",
                          work->arguments->source);
            work->warnings++;
        }
        return CUBINET_OK;
    }
    return refused_without_kernels(work);
}

/* The driver links no device runtime to PTX, so an image that calls it could never be loaded. */
static cubinet_status leave_out_ptx(struct compile_work *work, const char *function, cubinet_target target)
{
    const char *source = work->arguments->source;
    struct compile_name name = compile_name_of(target);
    if (!arch_plan_makes(work->plan, CUBINET_IMAGE_CUBIN)) {
        return cbn_error(CUBINET_ERROR_COMPILE,
                         "%s: %s would not load: it calls %s of libcudadevrt, which can be linked only to "
                         "machine code; ask for machine code, too, as in --arch 90-real",
                         source, name.text, function);
    }
    if (!work->arguments->no_warnings) {
        buffer_printf(work->messages,
                      "%s: %s: warning: PTX is left out: it calls %s of libcudadevrt, which the driver does "
                      "not link\n",
                      source, name.text, function);
        work->warnings++;
    }
    return CUBINET_OK;
}

/* Adds copies of the parts. */
static cubinet_status copy_parts(struct compile_work *work, const struct compile_parts *parts,
                                 cubinet_target target)
{
    struct draft_part *copies = calloc(parts->count, sizeof(*copies));
    cubinet_status status = copies ? CUBINET_OK : cbn_error_memory();
    for (size_t i = 0; !status && i < parts->count; i++) {
        const struct compile_ptx *part = &parts->items[i];
        copies[i] = (struct draft_part){malloc(part->size), part->size, part->contents};
        status = copies[i].data ? CUBINET_OK : cbn_error_memory();
        if (!status) {
            memcpy(copies[i].data, part->text, part->size);
        }
    }
    if (!status) {
        status =
            compile_file_parts(work, work->module, target, copies, parts->count, work->tools->nvrtc.version);
    } else {
        for (size_t i = 0; copies && i < parts->count; i++) {
            free(copies[i].data);
        }
    }
    free(copies);
    return status;
}

static cubinet_status file_ptx(struct compile_work *work, const struct compile_parts *parts,
                               cubinet_target target)
{
    char *function = parts->count == 1 ? device_runtime_function(parts->items[0].text) : NULL;
    if (function) {
        cubinet_status status = leave_out_ptx(work, function, target);
        free(function);
        return status;
    }
    return copy_parts(work, parts, target);
}

static cubinet_status file_parts(struct compile_work *work, const struct arch_virtual *virtual,
                                 const struct compile_ptx *whole)
{
    struct compile_parts parts;
    cubinet_status status = compile_parts_make(work, virtual->target, whole, &parts);
    if (status) {
        return status;
    }
    status = compile_cubins(work, virtual, &parts);
    for (size_t i = 0; !status && i < virtual->output_count; i++) {
        if (virtual->outputs[i].kind == CUBINET_IMAGE_PTX) {
            status = file_ptx(work, &parts, virtual->outputs[i]);
        }
    }
    compile_parts_free(&parts);
    return status;
}

/* Gives the expressions' lowered names the form that they have in cleaned PTX. NVRTC before 12.9, which takes
 * no -frandom-seed, puts its process id into names of unnamed namespaces. */
static cubinet_status make_names_stable(const struct compile_work *work, struct nvrtc_result *result)
{
    for (size_t i = 0; i < result->lowered_count; i++) {
        char *stable = NULL;
        cubinet_status status = ptx_stable_name(result->lowered[i], work->arguments->module, &stable);
        if (status) {
            return status;
        }
        free(result->lowered[i]);
        result->lowered[i] = stable;
    }
    return CUBINET_OK;
}

/* PTX says in its first lines which build made it: "// Cuda compilation tools, release 13.0, V13.0.88". */
static void note_build(struct compile_tools *tools, const struct nvrtc_result *result)
{
    static const char before[] = "Cuda compilation tools, release ";
    const char *words = memmem(result->image, result->size, before, strlen(before));
    const char *build = words ? strstr(words, ", V") : NULL;
    if (build) {
        build += strlen(", V");
        int size = (int)strspn(build, "0123456789.");
        snprintf(tools->nvrtc_build, sizeof(tools->nvrtc_build), "%.*s", size, build);
    }
}

/* Everything that is made from PTX of one virtual architecture. */
static cubinet_status make_of_ptx(struct compile_work *work, const struct arch_virtual *virtual,
                                  struct nvrtc_result *result)
{
    struct contents contents = {0};
    char *ptx = NULL;
    size_t size = 0;
    note_build(work->tools, result);
    cubinet_status status = compile_clean_ptx(work, result, !work->arguments->keep_globals, &ptx, &size);
    if (!status) {
        status = make_names_stable(work, result);
    }
    if (!status) {
        status = ptx_read(ptx, size, &contents);
    }
    if (!status) {
        status = kernel_parameters_record(work->parameters, &contents);
    }
    if (!status && work->arguments->relocatable) {
        status = ptx_symbols_read(ptx, size, &contents.symbols);
        symbol_list_drop_weak_variables(&contents.symbols);
    }
    if (!status) {
        status = compile_record_expressions(work, result, &contents);
    }
    if (!status) {
        status = check_has_kernels(work, &contents);
    }
    if (!status) {
        status = compile_say_unsettled(work, &contents);
    }
    if (!status && (contents.kernel_count > 0 || work->tile_kernels.count == 0)) {
        const struct compile_ptx text = {ptx, size, &contents};
        status = file_parts(work, virtual, &text);
    }
    contents_free(&contents);
    free(ptx);
    return status;
}

/* What one pass makes of the kernels of either kind. */
static cubinet_status make_from_ptx(struct compile_work *work, const struct arch_virtual *virtual)
{
    struct nvrtc_result result = {0};
    const bool tile_only = work->arguments->tile == COMPILE_TILE_ONLY;
    const struct compile_pass pass = {.target = virtual->target, .text = work->text};
    cubinet_status status = compile_front_end(work, &pass, &result);
    if (!status) {
        status = compile_tile(work, virtual, &result);
    }
    if (!status && !tile_only) {
        status = make_of_ptx(work, virtual, &result);
    } else if (!status) {
        status = check_has_kernels(work, &(struct contents){0});
    }
    nvrtc_result_free(&result);
    return status;
}

/* OptiX-IR, which NVRTC writes under a cipher: what programs are in it, nobody but optixModuleCreate() can
 * tell. */
static cubinet_status make_optixir(struct compile_work *work, const struct arch_virtual *virtual)
{
    /* Relocatable, since nothing in the source itself calls OptiX's callable programs. */
    const struct compile_pass pass = {
        .target = virtual->target, .text = work->text, .makes = CUBINET_IMAGE_OPTIXIR, .relocatable = true};
    struct nvrtc_result result = {0};
    cubinet_status status = compile_front_end(work, &pass, &result);
    if (!status) {
        status = compile_file_result(work, virtual, CUBINET_IMAGE_OPTIXIR, &result, NULL);
    }
    nvrtc_result_free(&result);
    return status;
}

/* Runs the front end for what it says alone. */
static cubinet_status check_syntax(struct compile_work *work, const struct arch_virtual *virtual)
{
    struct nvrtc_result result = {0};
    const struct compile_pass pass = {.target = virtual->target, .text = work->text};
    cubinet_status status = compile_front_end(work, &pass, &result);
    nvrtc_result_free(&result);
    return status;
}

static cubinet_status make_virtual(struct compile_work *work, const struct arch_virtual *virtual)
{
    if (work->arguments->syntax_only) {
        return check_syntax(work, virtual);
    }
    cubinet_status status =
        work->arguments->tile == COMPILE_TILE_ONLY ? compile_tile_check(work, virtual) : CUBINET_OK;
    if (status) {
        return status;
    }
    if (arch_makes(virtual, CUBINET_IMAGE_CUBIN) || arch_makes(virtual, CUBINET_IMAGE_PTX)) {
        status = make_from_ptx(work, virtual);
    }
    if (!status && arch_makes(virtual, CUBINET_IMAGE_LTOIR)) {
        status = compile_ltoir(work, virtual);
    }
    if (!status && arch_makes(virtual, CUBINET_IMAGE_OPTIXIR)) {
        status = make_optixir(work, virtual);
    }
    return status;
}

/* Warns of launches, of which nothing was made, where others of the template were. */
static cubinet_status say_unmade(struct compile_work *work)
{
    bool has_kernels = work->module->kernel_count + work->tile_kernels.count > 0;
    if (!work->skips_host_code || work->arguments->no_warnings || !has_kernels) {
        return CUBINET_OK;
    }
    return launch_listing_warn(work->launches, work->module, work->tile, &work->said_kernels, work->messages,
                               &work->warnings);
}

static cubinet_status make_all(struct compile_work *work)
{
    const struct arch_plan *plan = work->plan;
    for (size_t i = 0; i < plan->virtual_count; i++) {
        cubinet_status status = make_virtual(work, &plan->virtuals[i]);
        if (status) {
            return status;
        }
    }
    cubinet_status status = say_unmade(work);
    if (status) {
        return status;
    }
    if (work->warnings > 0 && work->arguments->warnings_are_errors) {
        return cbn_error(CUBINET_ERROR_COMPILE, "%s: %zu warning%s, and -Werror makes them errors",
                         work->arguments->source, work->warnings, work->warnings == 1 ? "" : "s");
    }
    return CUBINET_OK;
}

/* Headers that nvcc includes before every source, and that NVRTC does not. Including them costs a small
 * source a quarter of its time, and makes it depend on every folder of headers, so a source that has nothing
 * to do with headers is first compiled without them.
 *
 * Whether the source or the options include anything. Where they do, a second pass over headers would cost
 * more than these do; where they don't, a source that compiles without them means the same with them. */
static bool implicit_headers_pay(const char *source, const struct cbn_text_list *options)
{
    static const char *const including[] = {"-include", "--pre-include"};
    for (size_t i = 0; i < options->count; i++) {
        for (size_t j = 0; j < sizeof(including) / sizeof(including[0]); j++) {
            if (strncmp(options->items[i], including[j], strlen(including[j])) == 0) {
                return true;
            }
        }
    }
    return strstr(source, "include") != NULL; /* in a comment, too: then they cost their time */
}

cubinet_status compile_source(struct compile_work *work)
{
    const struct compile_arguments *arguments = work->arguments;
    struct launch_sites launches = {0};
    struct kernel_parameters parameters = {0};
    char *data = NULL;
    threads_start(arguments->threads, arguments->has_threads);
    cubinet_status status = read_source(arguments->source, &data, &work->text);
    if (!status) {
        if (arguments->extended_lambda) {
            lambda_annotations_blank(data);
        }
        work->implicit_headers =
            arguments->pch_files.count > 0 || implicit_headers_pay(work->text, &arguments->nvrtc_options);
        work->launches = &launches;
        work->parameters = &parameters;
        status = make_all(work);
        if (!status && arguments->list_launches) {
            status = launch_listing_write(&launches, work->module, work->tile, work->listing);
        }
        work->launches = NULL;
        launch_sites_free(&launches);
        cbn_text_list_free(&work->used_kernels);
        cbn_text_list_free(&work->said_kernels);
        cbn_text_list_free(&work->tile_kernels);
        kernel_parameters_free(&parameters);
        work->parameters = NULL;
        buffer_free(&work->host_notes);
        free(data);
    }
    return status;
}
