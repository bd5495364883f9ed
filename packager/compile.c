/* SPDX-License-Identifier: Apache-2.0 */
#include "compile_work.h"

#include "error.h"
#include "file.h"
#include "implicit_headers.h"
#include "lambda_annotations.h"
#include "ptx.h"
#include "ptx_symbols.h"
#include "threads.h"
#include "trace.h"

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
    if (status != CUBINET_OK) {
        return status;
    }
    if (strlen(data) != size) {
        status = cbn_error(CUBINET_ERROR_COMPILE, "%s: there is a zero byte at offset %zu: this is no source",
                           path, strlen(data));
        free(data);
        return status;
    }
    *out_data = data;
    *out_text = strncmp(data, mark, strlen(mark)) == 0 ? data + strlen(mark) : data;
    return CUBINET_OK;
}

static const struct contents_global *find_global(const struct contents *contents, const char *name)
{
    for (size_t i = 0; i < contents->global_count; i++) {
        if (strcmp(contents->globals[i].name, name) == 0) {
            return &contents->globals[i];
        }
    }
    return NULL;
}

cubinet_status compile_record_expressions(const struct compile_work *work, const struct nvrtc_result *result,
                                          const struct contents *contents)
{
    const struct string_list *kernels = &work->request->kernels;
    const struct string_list *globals = &work->request->globals;
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; status == CUBINET_OK && i < kernels->count; i++) {
        const char *name = result->lowered[i];
        if (name[0] == '\0') {
            continue; /* optional, and of another source */
        }
        if (!contents_has_kernel(contents, name)) {
            return cbn_error(CUBINET_ERROR_COMPILE,
                             "%s: '%s' is no kernel; a variable is asked for with --global",
                             work->request->source, kernels->items[i]);
        }
        status = draft_add_kernel(work->module, name, kernels->items[i]);
    }
    for (size_t i = 0; status == CUBINET_OK && i < globals->count; i++) {
        const char *name = result->lowered[kernels->count + i];
        if (name[0] == '\0') {
            continue;
        }
        const struct contents_global *global = find_global(contents, name);
        if (contents_has_kernel(contents, name)) {
            return cbn_error(CUBINET_ERROR_COMPILE,
                             "%s: '%s' is no variable; a kernel is asked for with --kernel",
                             work->request->source, globals->items[i]);
        }
        status = draft_add_global(work->module, name, globals->items[i], global ? global->bytes : 0,
                                  global ? draft_global_flags(global) : 0);
    }
    return status;
}

static cubinet_status check_has_kernels(const struct compile_work *work, const struct contents *contents)
{
    if (contents->kernel_count > 0 || work->request->relocatable) {
        return CUBINET_OK;
    }
    return cbn_error(
        CUBINET_ERROR_COMPILE,
        "%s: no kernels come out of it; kernels that are templates are made when they are named, as in "
        "--kernel 'scale<float>'",
        work->request->source);
}

cubinet_status compile_clean_ptx(const struct compile_work *work, const struct nvrtc_result *result,
                                 bool drop_unreferenced, char **out_ptx, size_t *out_size)
{
    const struct ptx_clean_options options = {
        .drop_unreferenced = drop_unreferenced,
        .keep = (const char *const *)result->lowered + work->request->kernels.count,
        .keep_count = work->request->globals.count,
        .path_maps = work->request->path_maps,
        .path_map_count = work->request->path_map_count,
        .identity = work->request->module,
        /* A fragment's PTX is read for its symbols and thrown away. */
        .tell_shared_offsets = !work->request->keep_shared_addresses && !work->request->fragment,
    };
    trace_begin("clean PTX", NULL);
    cubinet_status status = ptx_clean(result->image, result->size, &options, out_ptx, out_size);
    trace_end();
    return status;
}

cubinet_status compile_file_image(const struct compile_work *work, cubinet_target target, unsigned char *data,
                                  size_t size, const struct contents *contents, int toolkit)
{
    struct draft_image *image = NULL;
    cubinet_status status =
        draft_add_image(work->module, target, data, size, contents, work->request->source, &image);
    if (status == CUBINET_OK) {
        image->toolkit = (uint32_t)toolkit;
        image->link_floor = target.kind == CUBINET_IMAGE_LTOIR ? (uint32_t)toolkit : 0;
    }
    return status;
}

static bool plans_cubins(const struct arch_plan *plan)
{
    for (size_t i = 0; i < plan->virtual_count; i++) {
        for (size_t j = 0; j < plan->virtuals[i].output_count; j++) {
            if (plan->virtuals[i].outputs[j].kind == CUBINET_IMAGE_CUBIN) {
                return true;
            }
        }
    }
    return false;
}

/* The driver links no device runtime to PTX, so an image that calls it could never be loaded. */
static cubinet_status leave_out_ptx(struct compile_work *work, const char *function, cubinet_target target)
{
    const char *source = work->request->source;
    struct compile_name name = compile_name_of(target);
    if (!plans_cubins(work->request->plan)) {
        return cbn_error(
            CUBINET_ERROR_COMPILE,
            "%s: %s would not load: it calls %s of libcudadevrt, which is linked to machine code "
            "alone; ask for that too, as in --arch 90-real",
            source, name.text, function);
    }
    if (!work->request->no_warnings) {
        buffer_printf(work->messages,
                      "%s: %s: warning: PTX is left out: it calls %s of libcudadevrt, which the driver does "
                      "not link\n",
                      source, name.text, function);
        work->warnings++;
    }
    return CUBINET_OK;
}

static cubinet_status file_ptx(struct compile_work *work, const char *ptx, size_t size,
                               const struct contents *contents, cubinet_target target)
{
    char *function = device_runtime_function(ptx);
    if (function) {
        cubinet_status status = leave_out_ptx(work, function, target);
        free(function);
        return status;
    }
    unsigned char *data = malloc(size);
    if (!data) {
        return cbn_error_memory();
    }
    memcpy(data, ptx, size);
    return compile_file_image(work, target, data, size, contents, work->tools->nvrtc.version);
}

/* Gives the expressions' lowered names the form that they have in cleaned PTX. NVRTC before 12.9, which takes
 * no -frandom-seed, puts its process id into names of unnamed namespaces. */
static cubinet_status make_names_stable(const struct compile_work *work, struct nvrtc_result *result)
{
    for (size_t i = 0; i < result->lowered_count; i++) {
        char *stable = NULL;
        cubinet_status status = ptx_stable_name(result->lowered[i], work->request->module, &stable);
        if (status != CUBINET_OK) {
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
static cubinet_status make_from_ptx(struct compile_work *work, const struct arch_virtual *virtual)
{
    struct nvrtc_result result = {0};
    struct contents contents = {0};
    char *ptx = NULL;
    size_t size = 0;
    const struct compile_pass pass = {.target = virtual->target, .text = work->text};
    cubinet_status status = compile_front_end(work, &pass, &result);
    if (status == CUBINET_OK) {
        note_build(work->tools, &result);
        status = compile_clean_ptx(work, &result, !work->request->keep_globals, &ptx, &size);
    }
    if (status == CUBINET_OK) {
        status = make_names_stable(work, &result);
    }
    if (status == CUBINET_OK) {
        status = ptx_read(ptx, size, &contents);
    }
    if (status == CUBINET_OK && work->request->relocatable) {
        status = ptx_symbols_read(ptx, size, &contents.symbols);
        symbol_list_drop_weak_variables(&contents.symbols);
    }
    if (status == CUBINET_OK) {
        status = compile_record_expressions(work, &result, &contents);
    }
    if (status == CUBINET_OK) {
        status = check_has_kernels(work, &contents);
    }
    if (status == CUBINET_OK) {
        const struct compile_ptx text = {ptx, size, &contents};
        status = compile_cubins(work, virtual, &text);
    }
    for (size_t i = 0; status == CUBINET_OK && i < virtual->output_count; i++) {
        if (virtual->outputs[i].kind == CUBINET_IMAGE_PTX) {
            status = file_ptx(work, ptx, size, &contents, virtual->outputs[i]);
        }
    }
    nvrtc_result_free(&result);
    contents_free(&contents);
    free(ptx);
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
    if (work->request->syntax_only) {
        return check_syntax(work, virtual);
    }
    cubinet_status status = CUBINET_OK;
    if (arch_makes(virtual, CUBINET_IMAGE_CUBIN) || arch_makes(virtual, CUBINET_IMAGE_PTX)) {
        status = make_from_ptx(work, virtual);
    }
    if (status == CUBINET_OK && arch_makes(virtual, CUBINET_IMAGE_LTOIR)) {
        status = compile_ltoir(work, virtual);
    }
    if (status == CUBINET_OK && arch_makes(virtual, CUBINET_IMAGE_OPTIXIR)) {
        status = compile_optixir(work, virtual);
    }
    return status;
}

static cubinet_status make_all(struct compile_work *work)
{
    const struct arch_plan *plan = work->request->plan;
    for (size_t i = 0; i < plan->virtual_count; i++) {
        cubinet_status status = make_virtual(work, &plan->virtuals[i]);
        if (status != CUBINET_OK) {
            return status;
        }
    }
    if (work->warnings > 0 && work->request->warnings_are_errors) {
        return cbn_error(CUBINET_ERROR_COMPILE, "%s: %zu warning%s, and -Werror makes them errors",
                         work->request->source, work->warnings, work->warnings == 1 ? "" : "s");
    }
    return CUBINET_OK;
}

cubinet_status compile_source(struct compile_tools *tools, const struct compile_request *request,
                              struct draft_module *module, struct buffer *messages)
{
    char *data = NULL;
    struct compile_work work = {.tools = tools, .request = request, .module = module, .messages = messages};
    threads_start(request->threads, request->has_threads);
    cubinet_status status = read_source(request->source, &data, &work.text);
    if (status == CUBINET_OK) {
        if (request->extended_lambda) {
            lambda_annotations_blank(data);
        }
        work.implicit_headers =
            request->pch_files.count > 0 || implicit_headers_pay(work.text, &request->nvrtc_options);
        status = make_all(&work);
        free(data);
    }
    return status;
}
