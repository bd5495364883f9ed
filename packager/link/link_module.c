/* SPDX-License-Identifier: Apache-2.0 */
#include "link/link_module.h"

#include "image/cubin.h"
#include "interpose/hidden_files.h"
#include "link/link_repeated.h"
#include "link/link_runtime.h"
#include "loader/core/names/readable.h"
#include "loader/core/support/error.h"
#include "loader/core/support/expression.h"
#include "loader/link/link_plan.h"
#include "loader/link/linker.h"
#include "process/trace.h"
#include "ptx/cleaning/ptx_clean.h"
#include "ptx/reading/ptx.h"
#include "toolkit/assembler_log.h"
#include "toolkit/toolkit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What linking for one architecture needs. */
struct work {
    const struct link_request *request;
    const char *nvjitlink; /* path of the only one to be used, or NULL */
    struct draft_module *module;
    struct cbn_text_list variables; /* that stay: the request's, and those that pieces were asked for */
    struct link_runtime runtime;
    struct buffer *messages;
};

static cubinet_status add_input(struct cbn_link_plan *plan, const struct link_input *input)
{
    if (!input->archive) {
        return cbn_link_plan_add_data(plan, input->kind, input->data, input->size, input->path);
    }
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < input->module_count; i++) {
        status = cbn_link_plan_add_module(plan, input->archive, input->first_module + i);
    }
    return status;
}

static cubinet_status fill_plan(const struct work *work, struct cbn_link_plan *plan)
{
    const struct link_request *request = work->request;
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < request->pieces->count; i++) {
        status = add_input(plan, &request->pieces->items[i]);
    }
    for (size_t i = 0; !status && i < request->libraries->count; i++) {
        status = cbn_link_plan_add_missing(plan, request->libraries->items[i].archive);
    }
    if (!status && work->runtime.library.data) {
        status = cbn_link_plan_add_data(plan, CUBINET_PIECE_LIBRARY, work->runtime.library.data,
                                        work->runtime.library.size, "libcudadevrt.a");
    }
    return status ? status : cbn_link_plan_check(plan);
}

static cubinet_status make_plan(const struct work *work, cubinet_target target,
                                struct cbn_link_plan **out_plan)
{
    struct cbn_link_plan *plan = NULL;
    cubinet_link_options options = *work->request->options;
    options.variables_used = (const char *const *)work->variables.items;
    options.variables_used_count = work->variables.count;
    target.kind = CUBINET_IMAGE_CUBIN;
    cubinet_status status = cbn_link_plan_create(target, &options, &plan);
    if (!status) {
        status = fill_plan(work, plan);
    }
    if (status) {
        cbn_link_plan_free(plan);
        return status;
    }
    *out_plan = plan;
    return CUBINET_OK;
}

static cubinet_status open_linker(const struct work *work, const struct cbn_link_plan *plan,
                                  const struct cbn_nvjitlink **out_nvjitlink)
{
    const struct cbn_linker_need need = {
        .path = work->nvjitlink,
        .floor = cbn_link_plan_floor(plan),
        .compute = cbn_link_plan_target(plan).number,
    };
    const struct cbn_linker *linker = NULL;
    bool fits = false;
    cubinet_status status = cbn_linker_find(&need, &linker, &fits);
    if (!status) {
        status = cbn_link_plan_check_nvjitlink(plan, cbn_linker_release(linker), cbn_linker_path(linker));
    }
    return status ? status : cbn_linker_open(linker, out_nvjitlink);
}

/* Adds nvJitLink's warnings to the messages. */
static void report(const struct work *work, const char *log, cubinet_target target)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    struct buffer subject = {0};
    buffer_printf(&subject, "%s: %s", work->request->module, cubinet_target_name(target, name));
    if (subject.failed) {
        work->messages->failed = true;
    } else {
        assembler_log_append(log, subject.data, false, work->messages);
    }
    buffer_free(&subject);
}

/* Cleans PTX in place, as a compile does: the names of internal things would change with every link. */
static cubinet_status clean(const struct work *work, struct cbn_link_result *result)
{
    const struct ptx_clean_options options = {.identity = work->request->module};
    char *text = NULL;
    size_t size = 0;
    cubinet_status status = ptx_clean((const char *)result->data, result->size, &options, &text, &size);
    if (!status) {
        free(result->data);
        result->data = (unsigned char *)text;
        result->size = size;
    }
    return status;
}

static cubinet_status read_contents(const struct cbn_link_result *result, cubinet_target target,
                                    struct contents *out_contents)
{
    cubinet_status status = target.kind == CUBINET_IMAGE_PTX
                                ? ptx_read((const char *)result->data, result->size, out_contents)
                                : cubin_read(result->data, result->size, out_contents);
    if (!status && out_contents->kernel_count == 0) {
        status = cbn_error(CUBINET_ERROR_LINK, "nvJitLink made an image without kernels");
        contents_free(out_contents);
    }
    return status;
}

/* Files what was linked, whose bytes it takes over. */
static cubinet_status file_image(const struct work *work, cubinet_target target,
                                 const struct cbn_nvjitlink *nvjitlink, struct cbn_link_result *result)
{
    struct contents contents = {0};
    struct draft_image *image = NULL;
    report(work, result->log, target);
    cubinet_status status = target.kind == CUBINET_IMAGE_PTX ? clean(work, result) : CUBINET_OK;
    if (!status) {
        status = read_contents(result, target, &contents);
    }
    if (!status) {
        unsigned char *data = result->data;
        result->data = NULL;
        status = draft_add_image(work->module, target, data, result->size, &contents, "this link", &image);
    }
    if (!status) {
        image->toolkit = (uint32_t)nvjitlink->version;
    }
    contents_free(&contents);
    return status;
}

/* The driver links no device runtime to PTX, so an image that calls it could never be loaded. */
static cubinet_status leave_out_ptx(const struct work *work, cubinet_target target)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    cubinet_target_name(target, name);
    if (!arch_plan_makes(work->request->plan, CUBINET_IMAGE_CUBIN)) {
        return cbn_error(CUBINET_ERROR_LINK,
                         "module '%s': %s would not load: it calls %s of libcudadevrt, which can be linked "
                         "only to machine code; ask for machine code, too, as in --arch 90-real",
                         work->request->module, name, work->runtime.function);
    }
    buffer_printf(work->messages,
                  "%s: %s: warning: PTX is left out: it calls %s of libcudadevrt, which the driver does not "
                  "link\n",
                  work->request->module, name, work->runtime.function);
    return CUBINET_OK;
}

static cubinet_status link_target(struct work *work, cubinet_target target)
{
    if (target.kind == CUBINET_IMAGE_PTX && work->runtime.function) {
        return leave_out_ptx(work, target);
    }
    struct cbn_link_plan *plan = NULL;
    const struct cbn_nvjitlink *nvjitlink = NULL;
    struct cbn_link_result result = {0};
    cubinet_status status = make_plan(work, target, &plan);
    if (status) {
        return status;
    }
    status = open_linker(work, plan, &nvjitlink);
    if (!status) {
        char name[CUBINET_TARGET_NAME_SIZE];
        target.suffix = cbn_link_plan_target(plan).suffix;
        if (work->request->verbose) {
            fprintf(stderr, "linking %s with %s\n", cubinet_target_name(target, name),
                    nvjitlink->library.path);
        }
        trace_begin("link", cubinet_target_name(target, name));
        hidden_files_hide(true);
        status = target.kind == CUBINET_IMAGE_PTX ? cbn_link_plan_run_to_ptx(plan, nvjitlink, &result)
                                                  : cbn_link_plan_run(plan, nvjitlink, &result);
        hidden_files_hide(false);
        trace_end();
        status = link_repeated_explain(status, work->request->pieces);
    }
    if (!status) {
        status = file_image(work, target, nvjitlink, &result);
    }
    cbn_link_result_free(&result);
    cbn_link_plan_free(plan);
    return status;
}

static bool has_kernel(const struct draft_module *module, const char *name)
{
    for (size_t i = 0; i < module->kernel_count; i++) {
        if (strcmp(module->kernels[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_global(const struct draft_module *module, const char *name)
{
    for (size_t i = 0; i < module->global_count; i++) {
        if (strcmp(module->globals[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Records the expressions that a module of an archive has for what was linked. */
static cubinet_status take_expressions(struct draft_module *to, const cubinet_archive *archive,
                                       uint32_t module)
{
    cubinet_module_info about = {.size = sizeof(about)};
    cubinet_status status = cubinet_archive_get_module(archive, module, &about);
    for (uint32_t i = 0; !status && i < about.kernel_count; i++) {
        cubinet_kernel_info kernel = {.size = sizeof(kernel)};
        status = cubinet_archive_get_kernel(archive, module, i, &kernel);
        if (!status && has_kernel(to, kernel.name)) {
            status = draft_add_kernel(to, kernel.name, kernel.expression);
        }
    }
    for (uint32_t i = 0; !status && i < about.global_count; i++) {
        cubinet_global_info global = {.size = sizeof(global)};
        status = cubinet_archive_get_global(archive, module, i, &global);
        if (!status && has_global(to, global.name)) {
            status = draft_add_global(to, global.name, global.expression, global.bytes, false);
        }
    }
    return status;
}

static cubinet_status take_all_expressions(struct draft_module *to, const struct link_inputs *inputs)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; i < inputs->count; i++) {
        const struct link_input *input = &inputs->items[i];
        for (uint32_t j = 0; !status && j < input->module_count; j++) {
            status = take_expressions(to, input->archive, input->first_module + j);
        }
    }
    return status;
}

/* Variables that were asked for by an expression when a piece was compiled are kept, as a compile does. */
static cubinet_status keep_variables(const struct link_inputs *inputs, struct cbn_text_list *variables)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; i < inputs->count; i++) {
        const struct link_input *input = &inputs->items[i];
        for (uint32_t j = 0; !status && j < input->module_count; j++) {
            cubinet_module_info about = {.size = sizeof(about)};
            status = cubinet_archive_get_module(input->archive, input->first_module + j, &about);
            for (uint32_t k = 0; !status && k < about.global_count; k++) {
                cubinet_global_info global = {.size = sizeof(global)};
                status = cubinet_archive_get_global(input->archive, input->first_module + j, k, &global);
                if (!status && global.expression != global.name) {
                    status = cbn_text_list_add_once(variables, global.name);
                }
            }
        }
    }
    return status;
}

static bool is_called(const char *wanted, const char *name, const char *expression)
{
    return strcmp(wanted, name) == 0 || (expression && cbn_expression_equal(wanted, expression));
}

static bool has_name(const struct draft_module *module, const char *wanted)
{
    for (size_t i = 0; i < module->kernel_count; i++) {
        if (is_called(wanted, module->kernels[i].name, module->kernels[i].expression)) {
            return true;
        }
    }
    for (size_t i = 0; i < module->global_count; i++) {
        if (is_called(wanted, module->globals[i].name, module->globals[i].expression)) {
            return true;
        }
    }
    return false;
}

/* A plain, qualified or demangled name of one of them alone. */
static cubinet_status check_readable(const struct draft_module *module, const char *wanted)
{
    struct cbn_readable_search search = cbn_readable_search_start(wanted);
    const char *name = NULL;
    for (size_t i = 0; i < module->kernel_count; i++) {
        cbn_readable_offer(&search, module->kernels[i].name);
    }
    for (size_t i = 0; i < module->global_count; i++) {
        cbn_readable_offer(&search, module->globals[i].name);
    }
    cubinet_status status = cbn_readable_search_end(&search, "kernels or variables", &name);
    if (status == CUBINET_ERROR_NOT_FOUND) {
        return cbn_error_context(CUBINET_ERROR_LINK, "module '%s'", module->name);
    }
    if (!status && !name) {
        return cbn_error(CUBINET_ERROR_LINK,
                         "module '%s' lacks '%s', which was asked for: none of its pieces has it",
                         module->name, wanted);
    }
    return status;
}

static cubinet_status check_required(const struct draft_module *module, const struct cbn_text_list *required)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < required->count; i++) {
        if (!has_name(module, required->items[i])) {
            status = check_readable(module, required->items[i]);
        }
    }
    return status;
}

/* The toolkit's nvJitLink, so that a build links with what it compiles with; NULL where there is none and
 * none was named: then it is looked for as programs do. */
static cubinet_status choose_linker(const struct link_request *request, struct toolkit *toolkit,
                                    const char **out_path)
{
    *out_path = request->nvjitlink;
    if (request->nvjitlink) {
        return CUBINET_OK;
    }
    cubinet_status status = toolkit_find(request->toolkit, NULL, toolkit);
    if (!status && !toolkit->nvjitlink && request->toolkit) {
        return cbn_error(CUBINET_ERROR_TOOLKIT,
                         "the toolkit in '%s' has no libnvJitLink, which links device code",
                         request->toolkit);
    }
    *out_path = !status ? toolkit->nvjitlink : NULL;
    return request->toolkit ? status : CUBINET_OK;
}

static cubinet_status link_all(struct work *work)
{
    const struct arch_plan *plan = work->request->plan;
    cubinet_status status = keep_variables(work->request->pieces, &work->variables);
    for (size_t i = 0; i < plan->virtual_count; i++) {
        for (size_t j = 0; !status && j < plan->virtuals[i].output_count; j++) {
            status = link_target(work, plan->virtuals[i].outputs[j]);
        }
    }
    if (!status) {
        status = take_all_expressions(work->module, work->request->pieces);
    }
    return status ? status : take_all_expressions(work->module, work->request->libraries);
}

cubinet_status link_module(const struct link_request *request, struct draft *draft, struct buffer *messages)
{
    struct toolkit toolkit = {0};
    struct work work = {.request = request, .messages = messages};
    work.module = draft_module(draft, request->module);
    cubinet_status status = work.module ? CUBINET_OK : cbn_error_memory();
    for (size_t i = 0; !status && i < request->options->variables_used_count; i++) {
        status = cbn_text_list_add_once(&work.variables, request->options->variables_used[i]);
    }
    if (!status) {
        status = choose_linker(request, &toolkit, &work.nvjitlink);
    }
    if (!status) {
        status = link_runtime_read(request->module, request->pieces, request->libraries,
                                   toolkit.device_runtime, &work.runtime);
    }
    if (!status) {
        status = link_all(&work);
    }
    if (!status) {
        status = check_required(work.module, request->required);
    }
    cbn_text_list_free(&work.variables);
    link_runtime_free(&work.runtime);
    toolkit_free(&toolkit);
    return status;
}
