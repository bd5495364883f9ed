/* SPDX-License-Identifier: Apache-2.0 */
/* The passes of NVRTC over a source, and what it says of them. */
#ifndef FRONT_END_H
#define FRONT_END_H

#include "compile/compile_work.h"

struct compile_pass {
    cubinet_target target;    /* virtual */
    const char *text;         /* the source, perhaps with more after its end */
    cubinet_image_kind makes; /* what comes out: LTO-IR, OptiX-IR, or 0: PTX */
    bool relocatable;         /* -rdc=true, whatever else is asked for */
};

/* One pass of NVRTC over the source. What it says goes to the messages. The caller frees the result. */
cubinet_status compile_front_end(struct compile_work *work, const struct compile_pass *pass,
                                 struct nvrtc_result *out_result);

/* What NVRTC is told in a pass. */
cubinet_status compile_pass_options(const struct compile_work *work, const struct compile_pass *pass,
                                    struct cbn_text_list *out_options);

/* What NVRTC takes for the working folder; the path maps make a relative name of it again. */
const char *compile_pretended_folder(const struct compile_work *work);

/* Adds what NVRTC said in a pass to the messages. `compiled` is what it ended with; the result is that, with
 * the exit line for a source that was refused. */
cubinet_status compile_report(struct compile_work *work, const struct nvrtc_result *result,
                              cubinet_target source, cubinet_status compiled);

#endif
