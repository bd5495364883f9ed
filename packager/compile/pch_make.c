/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/pch_make.h"

#include "base/atomic_file.h"
#include "base/interrupt.h"
#include "compile/pch_nvrtc.h"
#include "interpose/opened_files.h"
#include "interpose/working_folder.h"
#include "loader/core/support/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What NVRTC's own memory for precompiled headers is a multiple of when it has to grow, in bytes. */
enum { HEAP_STEP = 64 << 20 };

/* The source's name; there is nothing in it. It is in a folder, for of such a source NVRTC looks for the
 * headers in all the places where it does so for any. */
static const char source_name[] = "/cubinet/pch.cu";

static cubinet_status run(const struct pch_job *job, const struct cbn_text_list *options,
                          struct nvrtc_result *out_result)
{
    const struct nvrtc_job compile = {
        .source = "\n",
        .name = source_name,
        .options = (const char *const *)options->items,
        .option_count = options->count,
        .empty_header = PCH_LAST_HEADER,
        .creates_pch = true,
    };
    working_folder_pretend(job->pretended_folder);
    cubinet_status status = nvrtc_compile(job->nvrtc, &compile, out_result);
    working_folder_pretend(NULL);
    return status;
}

/* Runs NVRTC with as much memory as it turns out to need. */
static cubinet_status run_with_heap(const struct pch_job *job, const struct cbn_text_list *options,
                                    struct nvrtc_result *result, size_t *out_heap)
{
    cubinet_status status = pch_nvrtc_set_heap(job->nvrtc, 0, out_heap);
    if (!status) {
        status = run(job, options, result);
    }
    if (status || result->pch_status != NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED) {
        return status;
    }
    size_t needed = (result->pch_heap / HEAP_STEP + 1) * HEAP_STEP;
    nvrtc_result_free(result);
    status = pch_nvrtc_set_heap(job->nvrtc, needed, out_heap);
    return status ? status : run(job, options, result);
}

/* What the log says of the headers alone: what comes after the message that they are written would be said of
 * a source that uses nothing of them. */
static cubinet_status keep_messages(const char *log, struct pch_record *record)
{
    static const char message[] = ": creating precompiled header file ";
    const char *end = strstr(log, message);
    while (end && end > log && end[-1] != '\n') {
        end--;
    }
    record->messages = strndup(log, end ? (size_t)(end - log) : strlen(log));
    return record->messages ? CUBINET_OK : cbn_error_memory();
}

/* Why NVRTC, which refused nothing, wrote no data. */
static char *find_reason(const struct nvrtc *nvrtc, const struct nvrtc_result *result)
{
    static const char warning[] = "warning #20283-D: "; /* the first that has this number says it */
    const char *found = strstr(result->log, warning);
    const char *said = found ? found + strlen(warning) : nvrtc->table.nvrtcGetErrorString(result->pch_status);
    char *reason = NULL;
    return asprintf(&reason, "NVRTC made none: %.*s", (int)strcspn(said, "\n"), said) < 0 ? NULL : reason;
}

cubinet_status pch_make_none(const char *data, const char *reason, struct pch_record *record)
{
    struct atomic_file file;
    record->reason = strdup(reason);
    if (!record->reason) {
        return cbn_error_memory();
    }
    cubinet_status status = atomic_file_open(data, &file);
    return status ? status : atomic_file_commit(&file, false);
}

/* Puts the data in its place. It is not synced: what a crash of the system leaves does not match
 * the record, and is made again. */
static cubinet_status keep_data(const struct pch_job *job, const char *temporary, size_t heap,
                                struct pch_record *record)
{
    cubinet_status status = pch_data_identify(temporary, &record->data);
    if (!status && rename(temporary, job->data) != 0) {
        status = atomic_file_error(job->data);
    }
    record->library = pch_nvrtc_address(job->nvrtc);
    record->heap_size = heap;
    return status;
}

static cubinet_status make(const struct pch_job *job, const char *temporary, struct pch_record *record,
                           struct nvrtc_result *result)
{
    struct cbn_text_list options = {0};
    size_t heap = 0;
    cubinet_status status = pch_nvrtc_options(job->options, "create", temporary, &options);
    if (!status) {
        status = run_with_heap(job, &options, result, &heap);
    }
    cbn_text_list_free(&options);
    if (status == CUBINET_ERROR_COMPILE) { /* again, so that it says nothing of precompiling */
        nvrtc_result_free(result);
        status = run(job, job->options, result);
    }
    if (!status) {
        status = keep_messages(result->log, record);
    }
    if (status || result->pch_status == 0) {
        return status ? status : keep_data(job, temporary, heap, record);
    }
    char *reason = find_reason(job->nvrtc, result);
    status = reason ? pch_make_none(job->data, reason, record) : cbn_error_memory();
    free(reason);
    return status;
}

void pch_remove_left(const char *data)
{
    char *temporary = NULL;
    if (asprintf(&temporary, "%s" PCH_TEMPORARY_SUFFIX, data) >= 0) {
        unlink(temporary);
        free(temporary);
    }
}

cubinet_status pch_make(const struct pch_job *job, struct pch_record *record, struct nvrtc_result *out_result)
{
    char *temporary = NULL;
    *out_result = (struct nvrtc_result){0};
    if (asprintf(&temporary, "%s" PCH_TEMPORARY_SUFFIX, job->data) < 0) {
        return cbn_error_memory();
    }
    interrupt_remove(temporary);
    cubinet_status status = make(job, temporary, record, out_result);
    interrupt_remove(NULL);
    unlink(temporary);
    opened_files_remove(temporary);
    free(temporary);
    return status;
}
