/* SPDX-License-Identifier: Apache-2.0 */
#include "toolkit/assemble.h"

#include "image/cubin.h"
#include "image/split_note.h"
#include "interpose/hidden_files.h"
#include "loader/core/support/error.h"
#include "loader/core/support/text_list.h"
#include "process/trace.h"
#include "ptx/reading/ptx.h"
#include "ptx/reading/ptx_symbols.h"
#include "toolkit/ptxas.h"

#include <stdlib.h>
#include <string.h>

/* The release whose nvJitLink takes -no-cache. */
enum { NO_CACHE_RELEASE = 12090 };

static cubinet_status check_kernels(const struct assemble_job *job, const struct contents *made)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    for (size_t i = 0; i < job->contents->kernel_count; i++) {
        const char *name = job->contents->kernels[i].name;
        if (!contents_has_kernel(made, name)) {
            return cbn_error(CUBINET_ERROR_LINK, "the %s cubin that was assembled lacks kernel %s",
                             cubinet_target_name(job->target, target), name);
        }
    }
    return CUBINET_OK;
}

bool assemble_fits(const struct assemble_job *job, const void *data, size_t size)
{
    struct contents contents;
    if (cubin_read(data, size, &contents)) {
        return false;
    }
    bool fits = contents.target.number == job->target.number && !check_kernels(job, &contents);
    contents_free(&contents);
    return fits;
}

static cubinet_status make_options(const struct cbn_nvjitlink *nvjitlink, cubinet_target target,
                                   const char *const *more, size_t more_count,
                                   struct cbn_text_list *out_options)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    cubinet_status status = cbn_text_list_addf(out_options, "-arch=%s", cubinet_target_name(target, name));
    if (!status && nvjitlink->version >= NO_CACHE_RELEASE) {
        status = cbn_text_list_add(out_options, "-no-cache"); /* or it looks for the driver, for its cache */
    }
    for (size_t i = 0; !status && i < more_count; i++) {
        status = cbn_text_list_add(out_options, more[i]);
    }
    return status;
}

static cubinet_status link_pieces(const struct cbn_nvjitlink *nvjitlink, const struct cbn_text_list *options,
                                  const struct cbn_link_piece *pieces, size_t piece_count, bool want_ptx,
                                  struct cbn_link_result *out_result)
{
    struct cbn_link_job job = {
        .options = (const char *const *)options->items,
        .option_count = options->count,
        .pieces = pieces,
        .piece_count = piece_count,
        .want_ptx = want_ptx,
    };
    hidden_files_hide(true);
    cubinet_status status = cbn_nvjitlink_link(nvjitlink, &job, out_result);
    hidden_files_hide(false);
    return status;
}

static cubinet_status assemble_by_nvjitlink(const struct cbn_nvjitlink *nvjitlink,
                                            const struct assemble_job *job,
                                            struct cbn_link_result *out_result)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    struct cbn_text_list options = {0};
    const struct cbn_link_piece pieces[] = {
        {NVJITLINK_INPUT_PTX, job->ptx, job->size, cubinet_target_name(job->target, name)},
        {NVJITLINK_INPUT_LIBRARY, job->device_runtime, job->device_runtime_size, "libcudadevrt.a"},
    };
    cubinet_status status = make_options(nvjitlink, job->target, job->options, job->option_count, &options);
    if (!status) {
        status = link_pieces(nvjitlink, &options, pieces, job->device_runtime ? 2 : 1, false, out_result);
    }
    cbn_text_list_free(&options);
    return status;
}

static cubinet_status run_assembler(const struct cbn_nvjitlink *nvjitlink, const struct assemble_job *job,
                                    struct cbn_link_result *out_result)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    bool whole = job->ptxas && !job->device_runtime;
    trace_begin("assemble", cubinet_target_name(job->target, name));
    cubinet_status status = whole ? ptxas_assemble(job->ptxas, job, out_result)
                                  : assemble_by_nvjitlink(nvjitlink, job, out_result);
    trace_end();
    return status;
}

/* From the store, or by the assembler. */
static cubinet_status obtain(const struct cbn_nvjitlink *nvjitlink, const struct assemble_job *job,
                             bool *out_found, struct cbn_link_result *out_result)
{
    const struct assemble_store *store = job->store;
    void *claim = NULL;
    *out_found = store && store->find(store->user, job, &claim, out_result);
    if (*out_found) {
        return CUBINET_OK;
    }
    cubinet_status status = run_assembler(nvjitlink, job, out_result);
    if (store) {
        store->keep(store->user, job, claim, status ? NULL : out_result);
    }
    return status;
}

cubinet_status assemble_ptx(const struct cbn_nvjitlink *nvjitlink, const struct assemble_job *job,
                            struct assembled *out_assembled)
{
    struct cbn_link_result result = {0};
    bool is_found;
    cubinet_status status = obtain(nvjitlink, job, &is_found, &result);
    if (status) {
        return status;
    }
    struct assembled made = {
        .data = result.data, .size = result.size, .log = result.log, .is_found = is_found};
    status = cubin_read(made.data, made.size, &made.contents);
    if (!status) {
        status = check_kernels(job, &made.contents);
    }
    if (!status) {
        status = contents_take_launches(&made.contents, job->contents);
    }
    if (!status && job->threads > 0) {
        status = split_note_clear(made.data, made.size);
    }
    if (status) {
        assembled_free(&made);
        return status;
    }
    *out_assembled = made;
    return CUBINET_OK;
}

void assembled_free(struct assembled *assembled)
{
    free(assembled->data);
    free(assembled->log);
    contents_free(&assembled->contents);
    *assembled = (struct assembled){0};
}

/* LTO-IR that was not compiled as a fragment may define more than shows: what no kernel uses is gone. */
static cubinet_status copy_needed(const struct symbol_list *all, struct symbol_list *needed)
{
    cubinet_status status = CUBINET_OK;
    needed->is_recorded = true;
    for (size_t i = 0; !status && i < all->count; i++) {
        if (!all->items[i].is_defined) {
            status = symbol_list_add(needed, &all->items[i]);
        }
    }
    return status;
}

/* What the PTX of LTO-IR tells of it. */
static cubinet_status read_ptx(const char *ptx, size_t size, const char *const *keep, size_t keep_count,
                               struct contents *contents)
{
    struct symbol_list all = {0};
    cubinet_status status = ptx_read(ptx, size, contents);
    if (!status) {
        contents_keep_names(contents);
        status = ptx_symbols_read(ptx, size, &all);
    }
    if (!status) {
        contents_drop_unused_globals(contents, &all, keep, keep_count);
        status = copy_needed(&all, &contents->symbols);
    }
    symbol_list_free(&all);
    return status;
}

cubinet_status assemble_read_ltoir(const struct cbn_nvjitlink *nvjitlink, const void *data, size_t size,
                                   cubinet_target source, const char *const *keep, size_t keep_count,
                                   struct contents *out_contents)
{
    static const char *const lto_options[] = {"-lto", "-ptx"};
    struct cbn_text_list options = {0};
    struct cbn_link_result result = {0};
    struct contents made = {0};
    const struct cbn_link_piece piece = {NVJITLINK_INPUT_LTOIR, data, size, "LTO-IR"};
    cubinet_status status = make_options(nvjitlink, source, lto_options, 2, &options);
    if (!status) {
        trace_begin("read LTO-IR", NULL);
        status = link_pieces(nvjitlink, &options, &piece, 1, true, &result);
        trace_end();
    }
    if (!status) {
        status = read_ptx((const char *)result.data, result.size, keep, keep_count, &made);
    }
    cbn_text_list_free(&options);
    cbn_link_result_free(&result);
    if (status) {
        contents_free(&made);
        return status;
    }
    *out_contents = made;
    return CUBINET_OK;
}
