/* SPDX-License-Identifier: Apache-2.0 */
/* One set for one extent, from its candidates to the choice. */
#ifndef MEASURE_H
#define MEASURE_H

#include "tune/gpu.h"
#include "tune/worker.h"

#include <cubinet/module.h>

/* What is measured on. */
struct measured_on {
    const struct worker_task *task;
    struct gpu *gpu;
    cubinet_kernel *const *kernels; /* of the set's instances */
    uint32_t multiprocessors;
};

/* Fills in trials, choice, rounds, clocks and whether results were checked. */
cubinet_status measure(const struct measured_on *on, uint32_t extent, struct outcome *outcome);

#endif
