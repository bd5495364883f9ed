/* SPDX-License-Identifier: Apache-2.0 */
/* -split-compile: NVRTC's optimizer, over as many threads as there are to be had.
 *
 * What NVRTC makes is the same for any number but one, so a source that is split stays split where only one
 * thread is to be had: then NVRTC's two take turns on one processor. */
#ifndef COMPILE_SPLIT_H
#define COMPILE_SPLIT_H

#include "compile/compile_arguments.h"

#include <sched.h>

enum { COMPILE_SPLIT_MOST_THREADS = 64 };

struct compile_split {
    size_t ids[COMPILE_SPLIT_MOST_THREADS];
    size_t id_count;
    cpu_set_t processors; /* before it was pinned to one */
    bool is_pinned;
};

/* Takes threads and adds the option, if the arguments ask for it. */
cubinet_status compile_split_begin(const struct compile_arguments *arguments, struct cbn_text_list *options,
                                   struct compile_split *out_split);

/* Puts back what was taken. For a zero one, too. */
void compile_split_end(struct compile_split *split);

#endif
