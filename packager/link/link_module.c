/* SPDX-License-Identifier: Apache-2.0 */
#include "link/link_module.h"

#include "link/link_target.h"
#include "loader/core/names/readable.h"
#include "loader/core/support/error.h"
#include "loader/core/support/expression.h"
#include "toolkit/toolkit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
            status = draft_add_global(to, global.name, global.expression, global.bytes, 0);
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

static cubinet_status link_all(struct link_work *work)
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
    struct link_work work = {.request = request, .messages = messages};
    work.module = draft_module(draft, request->module);
    cubinet_status status = work.module ? CUBINET_OK : cbn_error_memory();
    for (size_t i = 0; !status && i < request->options->variables_used_count; i++) {
        status = cbn_text_list_add_once(&work.variables, request->options->variables_used[i]);
    }
    if (!status) {
        status = choose_linker(request, &toolkit, &work.nvjitlink);
    }
    if (!status) {
        status = link_runtime_read(request, toolkit.device_runtime, &work.runtime);
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
