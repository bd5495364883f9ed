/* SPDX-License-Identifier: Apache-2.0 */
/* Which images a compile makes: what its options ask for, of the toolkit and the machine in use. */
#ifndef COMPILE_PLAN_H
#define COMPILE_PLAN_H

#include "loader/core/support/text_list.h"
#include "toolkit/arch.h"

#include <stdbool.h>

struct compile_plan_request {
    const struct cbn_text_list *gencodes; /* --gencode */
    const struct cbn_text_list *archs;    /* -arch */
    const char *code;                     /* -code, or NULL */
    cubinet_image_kind only;              /* -cubin, -ptx, -ltoir: images of this kind; 0: all */
    bool fragment;                        /* LTO-IR alone may be asked for */
};

/* Adds what is asked for to `plan`, and checks that there is anything and that the toolkit makes it.
 * CUBINET_ERROR_INVALID_ARGUMENT for what is wrong whatever the toolkit. */
cubinet_status compile_plan_make(const struct compile_plan_request *request,
                                 const struct arch_supported *supported, struct arch_plan *plan);

/* Tells the trace what this process makes: trace_subject(). */
void compile_plan_trace(const char *module, const struct arch_plan *plan);

/* The compute capabilities of this machine's GPUs: see arch_native_fn. */
cubinet_status compile_plan_ask_native(int *out_numbers, size_t capacity, size_t *out_count);

#endif
