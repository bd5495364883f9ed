/* SPDX-License-Identifier: Apache-2.0 */
#include "link/link_work.h"

#include "image/cubin.h"
#include "interpose/hidden_files.h"
#include "link/link_repeated.h"
#include "loader/core/support/error.h"
#include "loader/link/linker.h"
#include "process/trace.h"
#include "ptx/reading/ptx.h"
#include "toolkit/assembler_log.h"

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

static cubinet_status fill_plan(const struct link_work *work, struct cbn_link_plan *plan)
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

cubinet_status link_work_plan(const struct link_work *work, cubinet_target target,
                              const cubinet_link_options *given, const struct cbn_text_list *variables,
                              struct cbn_link_plan **out_plan)
{
    struct cbn_link_plan *plan = NULL;
    cubinet_link_options options = *given;
    options.variables_used = (const char *const *)variables->items;
    options.variables_used_count = variables->count;
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

cubinet_status link_work_linker(const struct link_work *work, const struct cbn_link_plan *plan,
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

void link_work_report(const struct link_work *work, const char *log, cubinet_target target)
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

cubinet_status link_work_contents(const struct cbn_link_result *result, cubinet_target target,
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

cubinet_status link_work_run(const struct link_work *work, const struct cbn_link_plan *plan,
                             const struct cbn_nvjitlink *nvjitlink, bool to_ptx,
                             struct cbn_link_result *out_result)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    trace_begin("link", cubinet_target_name(cbn_link_plan_target(plan), name));
    hidden_files_hide(true);
    cubinet_status status = to_ptx ? cbn_link_plan_run_to_ptx(plan, nvjitlink, out_result)
                                   : cbn_link_plan_run(plan, nvjitlink, out_result);
    hidden_files_hide(false);
    trace_end();
    return link_repeated_explain(status, work->request->pieces);
}
