/* SPDX-License-Identifier: Apache-2.0 */
#include "link/link_target.h"

#include "link/link_code.h"
#include "link/link_parts.h"
#include "loader/core/support/error.h"
#include "ptx/cleaning/ptx_clean.h"
#include "ptx/cleaning/ptx_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cleans PTX in place, as a compile does: the names of internal things would change with every link. */
static cubinet_status clean(const struct link_work *work, struct cbn_link_result *result)
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

/* Files what was linked, whose bytes it takes over. */
static cubinet_status file_image(const struct link_work *work, cubinet_target target,
                                 const struct cbn_nvjitlink *nvjitlink, struct cbn_link_result *result)
{
    struct contents contents = {0};
    struct draft_image *image = NULL;
    link_work_report(work, result->log, target);
    cubinet_status status = link_work_contents(result, target, &contents);
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
static cubinet_status leave_out_ptx(const struct link_work *work, cubinet_target target)
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

/* Files texts, which become the draft's. */
static cubinet_status file_texts(const struct link_work *work, cubinet_target target, int toolkit,
                                 struct link_parts *parts)
{
    struct draft_part *items = calloc(parts->texts.count, sizeof(*items));
    if (!items) {
        return cbn_error_memory();
    }
    link_parts_take_texts(parts, items);
    cubinet_status status = link_parts_file(work->module, target, items, parts->texts.count, toolkit);
    free(items);
    return status;
}

static cubinet_status file_code(const struct link_work *work, cubinet_target target,
                                const struct cbn_nvjitlink *nvjitlink, const struct link_parts *parts,
                                bool *out_is_filed)
{
    struct link_code code;
    cubinet_status status = link_code_make(work, target, nvjitlink, parts, &code);
    if (!status && code.extra) {
        link_parts_say(work->request, target, 1, "nvJitLink does not keep its kernels apart by their names");
    } else if (!status) {
        status = link_parts_file(work->module, target, code.items, code.count, nvjitlink->version);
        memset(code.items, 0, code.count * sizeof(*code.items)); /* they are the draft's */
        *out_is_filed = !status;
    }
    link_code_free(&code);
    return status;
}

/* Files the image in parts if its PTX splits. */
static cubinet_status try_parts(const struct link_work *work, cubinet_target target,
                                const struct cbn_link_plan *plan, const struct cbn_nvjitlink *nvjitlink,
                                const struct cbn_link_result *ptx, bool *out_is_filed)
{
    struct link_parts parts = {0};
    cubinet_status status =
        link_parts_split(work->request, target, (const char *)ptx->data, ptx->size, &parts);
    bool are_parts = !status && parts.texts.count > 0;
    if (are_parts) {
        status = cbn_link_plan_check_made(plan, link_parts_have_kernel, &parts);
    }
    if (are_parts && !status && target.kind == CUBINET_IMAGE_PTX) {
        status = file_texts(work, target, nvjitlink->version, &parts);
        *out_is_filed = !status;
    } else if (are_parts && !status) {
        status = file_code(work, target, nvjitlink, &parts, out_is_filed);
    }
    if (*out_is_filed) {
        link_parts_say(work->request, target, parts.texts.count, NULL);
    }
    link_parts_free(&parts);
    return status;
}

/* To PTX first where that is to be split; where it is not, and machine code is wanted, linked again. */
static cubinet_status link_and_file(const struct link_work *work, cubinet_target target,
                                    const struct cbn_link_plan *plan, const struct cbn_nvjitlink *nvjitlink)
{
    struct cbn_link_result result = {0};
    bool is_ptx = target.kind == CUBINET_IMAGE_PTX;
    bool in_parts = link_parts_are_wanted(work->request, target, plan, work->runtime.function != NULL);
    bool is_filed = false;
    cubinet_status status = link_work_run(work, plan, nvjitlink, is_ptx || in_parts, &result);
    bool is_same_size = false;
    bool has_unstable = !status &&
                        in_parts && /* nvJitLink knows such kernels by other names than clean PTX has */
                        ptx_has_unstable((const char *)result.data, result.size, &is_same_size);
    if (!status && (is_ptx || in_parts)) {
        status = clean(work, &result);
    }
    if (!status && in_parts && has_unstable) {
        link_parts_say(work->request, target, 1, "names in it belong to unnamed namespaces");
    } else if (!status && in_parts) {
        status = try_parts(work, target, plan, nvjitlink, &result, &is_filed);
    }
    if (!status && !is_filed && in_parts && !is_ptx) {
        cbn_link_result_free(&result);
        result = (struct cbn_link_result){0};
        status = link_work_run(work, plan, nvjitlink, false, &result);
    }
    if (!status && !is_filed) {
        status = file_image(work, target, nvjitlink, &result);
    }
    cbn_link_result_free(&result);
    return status;
}

cubinet_status link_target(struct link_work *work, cubinet_target target)
{
    if (target.kind == CUBINET_IMAGE_PTX && work->runtime.function) {
        return leave_out_ptx(work, target);
    }
    struct cbn_link_plan *plan = NULL;
    const struct cbn_nvjitlink *nvjitlink = NULL;
    cubinet_status status = link_work_plan(work, target, work->request->options, &work->variables, &plan);
    if (!status) {
        status = link_work_linker(work, plan, &nvjitlink);
    }
    if (!status) {
        char name[CUBINET_TARGET_NAME_SIZE];
        target.suffix = cbn_link_plan_target(plan).suffix;
        if (work->request->verbose) {
            fprintf(stderr, "linking %s with %s\n", cubinet_target_name(target, name),
                    nvjitlink->library.path);
        }
        status = link_and_file(work, target, plan, nvjitlink);
    }
    cbn_link_plan_free(plan);
    return status;
}
