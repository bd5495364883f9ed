/* SPDX-License-Identifier: Apache-2.0 */
/* NVRTC's own trace of one compile, as a part of the command's. */
#ifndef NVRTC_TRACE_H
#define NVRTC_TRACE_H

#include "loader/core/support/text_list.h"
#include "toolkit/nvrtc.h"

#include <stdint.h>

struct nvrtc_trace {
    struct cbn_text_list options; /* to compile with: the job's, and the trace's own */
    char *path;                   /* of the file that NVRTC writes; NULL: it writes none */
    int64_t start;
};

/* Prepares a job to be traced; call nvrtc_trace_end() after the compile, whatever came of it. A release
 * before 12.5, which has no trace, compiles as ever; so does a job that asks for a trace of its own, or has
 * to do with precompiled headers. Headers are traced in any case. */
cubinet_status nvrtc_trace_begin(const struct nvrtc *nvrtc, const struct nvrtc_job *job,
                                 struct nvrtc_trace *out_trace);
void nvrtc_trace_end(struct nvrtc_trace *trace);

#endif
