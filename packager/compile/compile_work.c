/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/compile_work.h"

#include "loader/core/support/error.h"
#include "process/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct compile_name compile_name_of(cubinet_target target)
{
    struct compile_name name;
    cubinet_target_name(target, name.text);
    return name;
}

void compile_say(const struct compile_work *work, const char *program, const struct cbn_text_list *options)
{
    if (!work->arguments->verbose) {
        return;
    }
    fprintf(stderr, "%s", program);
    for (size_t i = 0; i < options->count; i++) {
        fprintf(stderr, " %s", options->items[i]);
    }
    fputc('\n', stderr);
}

cubinet_status compile_open_nvjitlink(struct compile_tools *tools)
{
    if (tools->nvjitlink.library.handle) {
        return CUBINET_OK;
    }
    int wanted = tools->nvrtc.version;
    if (!tools->toolkit->nvjitlink) {
        return cbn_error(
            CUBINET_ERROR_TOOLKIT,
            "no libnvJitLink.so.%d beside %s: it assembles the machine code; install CUDA's nvJitLink, "
            "or ask only for PTX",
            wanted / 1000, tools->toolkit->nvrtc);
    }
    const struct cbn_library_search search = {
        .what = "nvJitLink", .path = tools->toolkit->nvjitlink, .stays = true};
    struct cbn_nvjitlink nvjitlink;
    trace_begin("load nvJitLink", NULL);
    cubinet_status status = cbn_nvjitlink_open(&search, &nvjitlink);
    trace_end();
    if (status) {
        return status;
    }
    if (nvjitlink.version / 1000 != wanted / 1000 || nvjitlink.version < wanted) {
        status = cbn_error(
            CUBINET_ERROR_TOOLKIT,
            "%s is of CUDA %d.%d, and NVRTC of %d.%d: nvJitLink must be of the same major version and "
            "not older",
            nvjitlink.library.path, nvjitlink.version / 1000, nvjitlink.version % 1000 / 10, wanted / 1000,
            wanted % 1000 / 10);
        cbn_nvjitlink_close(&nvjitlink);
        return status;
    }
    tools->nvjitlink = nvjitlink;
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
    const struct cbn_text_list *kernels = &work->arguments->kernels;
    const struct cbn_text_list *globals = &work->arguments->globals;
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < kernels->count; i++) {
        const char *name = result->lowered[i];
        if (name[0] == '\0') {
            continue; /* optional, and of another source, or a tile kernel */
        }
        if (!contents_has_kernel(contents, name)) {
            return cbn_error(CUBINET_ERROR_COMPILE,
                             "%s: '%s' is not a kernel; a variable is asked for with --global",
                             work->arguments->source, kernels->items[i]);
        }
        status = draft_add_kernel(work->module, name, kernels->items[i]);
    }
    for (size_t i = 0; !status && i < globals->count; i++) {
        const char *name = result->lowered[kernels->count + i];
        if (name[0] == '\0') {
            continue;
        }
        const struct contents_global *global = find_global(contents, name);
        if (contents_has_kernel(contents, name)) {
            return cbn_error(CUBINET_ERROR_COMPILE,
                             "%s: '%s' is not a variable; a kernel is asked for with --kernel",
                             work->arguments->source, globals->items[i]);
        }
        status = draft_add_global(work->module, name, globals->items[i], global ? global->bytes : 0,
                                  global ? contents_global_flags(global) : 0);
    }
    return status;
}

cubinet_status compile_clean_ptx(const struct compile_work *work, const struct nvrtc_result *result,
                                 bool drop_unreferenced, char **out_ptx, size_t *out_size)
{
    const struct compile_arguments *arguments = work->arguments;
    const struct ptx_clean_options options = {
        .drop_unreferenced = drop_unreferenced,
        .keep = (const char *const *)result->lowered + arguments->kernels.count,
        .keep_count = arguments->globals.count,
        .path_maps = work->path_maps,
        .path_map_count = work->path_map_count,
        .identity = arguments->module,
        /* A fragment's PTX is read for its symbols and thrown away. */
        .tell_shared_offsets = !arguments->keep_shared_addresses && !arguments->debug && !arguments->fragment,
    };
    trace_begin("clean PTX", NULL);
    cubinet_status status = ptx_clean(result->image, result->size, &options, out_ptx, out_size);
    trace_end();
    return status;
}

cubinet_status compile_file_image(const struct compile_work *work, struct draft_module *module,
                                  cubinet_target target, unsigned char *data, size_t size,
                                  const struct contents *contents, int toolkit)
{
    struct draft_image *image = NULL;
    cubinet_status status =
        draft_add_image(module, target, data, size, contents, work->arguments->source, &image);
    if (!status) {
        image->toolkit = (uint32_t)toolkit;
        image->link_floor = target.kind == CUBINET_IMAGE_LTOIR ? (uint32_t)toolkit : 0;
    }
    return status;
}

cubinet_status compile_file_parts(const struct compile_work *work, struct draft_module *module,
                                  cubinet_target target, const struct draft_part *parts, size_t count,
                                  int toolkit)
{
    struct draft_image *images = NULL;
    cubinet_status status = draft_add_parts(module, target, parts, count, work->arguments->source, &images);
    for (size_t i = 0; !status && i < count; i++) {
        images[i].toolkit = (uint32_t)toolkit;
    }
    return status;
}

cubinet_status compile_file_copy(const struct compile_work *work, struct draft_module *module,
                                 cubinet_target target, const void *data, size_t size,
                                 const struct contents *contents)
{
    unsigned char *copy = malloc(size);
    if (!copy) {
        return cbn_error_memory();
    }
    memcpy(copy, data, size);
    return compile_file_image(work, module, target, copy, size, contents, work->tools->nvrtc.version);
}

cubinet_status compile_file_result(const struct compile_work *work, const struct arch_virtual *virtual,
                                   cubinet_image_kind kind, const struct nvrtc_result *result,
                                   const struct contents *contents)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < virtual->output_count; i++) {
        if (virtual->outputs[i].kind == kind) {
            status = compile_file_copy(work, work->module, virtual->outputs[i], result->image, result->size,
                                       contents);
        }
    }
    return status;
}

static bool has_instance(const struct compile_work *work, const struct contents *contents, const char *name)
{
    char mangled[600];
    snprintf(mangled, sizeof(mangled), "%zu%sI", strlen(name), name);
    for (size_t i = 0; i < contents->kernel_count; i++) {
        if (strstr(contents->kernels[i].name, mangled)) {
            return true;
        }
    }
    for (size_t i = 0; i < work->tile_kernels.count; i++) {
        if (strstr(work->tile_kernels.items[i], mangled)) {
            return true;
        }
    }
    return false;
}

cubinet_status compile_say_unsettled(struct compile_work *work, const struct contents *contents)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < work->used_kernels.count; i++) {
        const char *name = work->used_kernels.items[i];
        bool is_said = cbn_text_list_has(&work->said_kernels, name);
        if (!work->arguments->no_warnings && !is_said && !has_instance(work, contents, name)) {
            status = cbn_text_list_add(&work->said_kernels, name);
            buffer_printf(
                work->messages,
                "%s: warning: %s is launched with template arguments that this file does not settle: "
                "name them, as in --kernel '%s<float>'\n",
                work->arguments->source, name, name);
            work->warnings++;
        }
    }
    cbn_text_list_free(&work->used_kernels);
    return status;
}
