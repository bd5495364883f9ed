/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/compile_split.h"

#include "process/threads.h"

enum { LEAST_THREADS = 2 };

/* Has the threads that are started from now on, and this one, run one at a time. */
static void pin(struct compile_split *split)
{
    cpu_set_t one;
    int here = sched_getcpu();
    CPU_ZERO(&one);
    if (here >= 0 && sched_getaffinity(0, sizeof(split->processors), &split->processors) == 0) {
        CPU_SET((size_t)here, &one);
        split->is_pinned = sched_setaffinity(0, sizeof(one), &one) == 0;
    }
}

cubinet_status compile_split_begin(const struct compile_arguments *arguments, struct cbn_text_list *options,
                                   struct compile_split *out_split)
{
    size_t threads = arguments->split_threads;
    *out_split = (struct compile_split){0};
    if (!arguments->is_split) {
        return CUBINET_OK;
    }
    if (threads != 1 && threads_are_shared()) {
        size_t wanted = threads ? threads - 1 : COMPILE_SPLIT_MOST_THREADS;
        wanted = wanted < COMPILE_SPLIT_MOST_THREADS ? wanted : COMPILE_SPLIT_MOST_THREADS;
        out_split->id_count = threads_take(wanted, out_split->ids);
        threads = out_split->id_count ? out_split->id_count + 1 : LEAST_THREADS;
        if (out_split->id_count == 0) {
            pin(out_split);
        }
    }
    return cbn_text_list_addf(options, "-split-compile=%zu", threads);
}

void compile_split_end(struct compile_split *split)
{
    if (split->is_pinned) {
        sched_setaffinity(0, sizeof(split->processors), &split->processors);
    }
    threads_give_back(split->ids, split->id_count);
    *split = (struct compile_split){0};
}
