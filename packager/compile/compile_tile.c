/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/compile_tile.h"

#include "image/tileir_read.h"
#include "loader/core/archive/tileir.h"
#include "loader/core/support/error.h"
#include "toolkit/tileiras.h"

#include <stdlib.h>
#include <string.h>

/* Names of the expressions that asked for tile kernels; for GPUs that run none, they are only taken out. */
static cubinet_status record_expressions(struct compile_work *work, bool has_tile,
                                         struct nvrtc_result *result, const struct contents *contents)
{
    const struct cbn_text_list *kernels = &work->arguments->kernels;
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < kernels->count; i++) {
        char *name = result->lowered[i];
        if (contents_has_kernel(contents, name)) {
            status = has_tile ? draft_add_kernel(work->tile, name, kernels->items[i]) : CUBINET_OK;
            name[0] = '\0';
        } else if (work->arguments->tile == COMPILE_TILE_ONLY && name[0]) {
            status =
                cbn_error(CUBINET_ERROR_COMPILE,
                          "%s: '%s' is not a tile kernel, and --tile-only makes no others; --enable-tile "
                          "makes both",
                          work->arguments->source, kernels->items[i]);
        }
    }
    for (size_t i = 0; !status && i < contents->kernel_count; i++) {
        status = cbn_text_list_add_once(&work->tile_kernels, contents->kernels[i].name);
    }
    return status;
}

/* What tileiras said, a line each with what it was compiling. */
static void put_log(struct compile_work *work, cubinet_target target, const char *log)
{
    while (*log) {
        size_t size = strcspn(log, "\n");
        if (size > 0) {
            buffer_printf(work->messages, "%s: %s: %.*s\n", work->arguments->source,
                          compile_name_of(target).text, (int)size, log);
        }
        log += size + (log[size] == '\n');
    }
}

static cubinet_status fail(struct compile_work *work, cubinet_status status, cubinet_target target)
{
    char *error = strdup(cubinet_error_message());
    if (!error) {
        return cbn_error_memory();
    }
    char *log = strchrnul(error, '\n');
    put_log(work, target, log);
    *log = '\0';
    status = cbn_error(status, "%s: tile kernels cannot be compiled for %s: %s", work->arguments->source,
                       compile_name_of(target).text, error);
    free(error);
    return status;
}

/* Whether a variable is to be recorded: one that --global names, or the driver's. The others are the headers'
 * constants, all of which tileiras keeps. */
static bool is_wanted(const struct compile_work *work, const struct nvrtc_result *result, const char *name)
{
    bool is_asked_for = false;
    for (size_t i = work->arguments->kernels.count; i < result->lowered_count && !is_asked_for; i++) {
        is_asked_for = strcmp(result->lowered[i], name) == 0;
    }
    return is_asked_for || work->arguments->keep_globals || strcmp(name, CBN_TILE_LAUNCH_DATA) == 0;
}

static void drop_globals(const struct compile_work *work, const struct nvrtc_result *result,
                         struct contents *contents)
{
    size_t kept = 0;
    for (size_t i = 0; i < contents->global_count; i++) {
        if (is_wanted(work, result, contents->globals[i].name)) {
            contents->globals[kept++] = contents->globals[i];
        } else {
            free(contents->globals[i].name);
        }
    }
    contents->global_count = kept;
}

static cubinet_status file_cubin(struct compile_work *work, const struct cbn_text_list *options,
                                 cubinet_target target, const struct nvrtc_result *result)
{
    struct assembled made = {0};
    compile_say(work, "tileiras", options);
    cubinet_status status =
        tileiras_assemble(work->tools->toolkit, options, target, result->tile, result->tile_size, &made);
    if (status) {
        return fail(work, status, target);
    }
    if (!work->arguments->no_warnings) {
        put_log(work, target, made.log);
    }
    drop_globals(work, result, &made.contents);
    int toolkit = made.contents.toolkit ? (int)made.contents.toolkit : work->tools->nvrtc.version;
    target = made.contents.target;
    target.kind = CUBINET_IMAGE_CUBIN;
    status = compile_file_image(work, work->tile, target, made.data, made.size, &made.contents, toolkit);
    made.data = NULL;
    assembled_free(&made);
    return status;
}

static cubinet_status file_all(struct compile_work *work, const struct arch_virtual *virtual,
                               const struct nvrtc_result *result, const struct contents *contents)
{
    struct cbn_text_list options = {0};
    cubinet_status status = CUBINET_OK;
    if (arch_makes(virtual, CUBINET_IMAGE_CUBIN)) {
        status = tileiras_check(work->tools->toolkit);
    }
    if (!status) {
        status = tileiras_options(&work->arguments->nvjitlink_options, &work->arguments->tileiras_options,
                                  &options);
    }
    for (size_t i = 0; !status && i < virtual->output_count; i++) {
        if (virtual->outputs[i].kind == CUBINET_IMAGE_CUBIN) {
            status = file_cubin(work, &options, virtual->outputs[i], result);
        } else if (virtual->outputs[i].kind == CUBINET_IMAGE_PTX) {
            status = compile_file_copy(work, work->tile, contents->target, result->tile, result->tile_size,
                                       contents);
        }
    }
    cbn_text_list_free(&options);
    return status;
}

/* NVRTC gives a source without tile kernels one that does nothing. */
static bool has_kernels(const struct contents *contents)
{
    return contents->kernel_count > 1 ||
           (contents->kernel_count == 1 && strcmp(contents->kernels[0].name, "__$dummy_kernel") != 0);
}

cubinet_status compile_tile(struct compile_work *work, const struct arch_virtual *virtual,
                            struct nvrtc_result *result)
{
    struct contents contents = {0};
    bool has_tile = virtual->target.number >= TILE_OLDEST_GPU;
    if (!result->tile) {
        return CUBINET_OK;
    }
    cubinet_status status = tileir_read(result->tile, result->tile_size, &contents);
    if (status) {
        return cbn_error_context(status, "%s: tile kernels", work->arguments->source);
    }
    if (has_kernels(&contents)) {
        status = record_expressions(work, has_tile, result, &contents);
    }
    if (!status && has_tile && has_kernels(&contents)) {
        status = file_all(work, virtual, result, &contents);
    }
    contents_free(&contents);
    return status;
}

cubinet_status compile_tile_check(const struct compile_work *work, const struct arch_virtual *virtual)
{
    const char *source = work->arguments->source;
    if (virtual->target.number < TILE_OLDEST_GPU) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "%s: tile kernels need compute capability 8.0 or later, but you asked for %s",
                         source, compile_name_of(virtual->target).text);
    }
    for (size_t i = 0; i < virtual->output_count; i++) {
        cubinet_target output = virtual->outputs[i];
        if (output.kind != CUBINET_IMAGE_CUBIN && output.kind != CUBINET_IMAGE_PTX) {
            return cbn_error(
                CUBINET_ERROR_INVALID_ARGUMENT,
                "%s: tile kernels are machine code (--arch 90-real) or Tile IR (--arch 90-virtual), "
                "and %s is asked for",
                source, compile_name_of(output).text);
        }
    }
    return CUBINET_OK;
}
