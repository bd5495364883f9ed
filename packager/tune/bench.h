/* SPDX-License-Identifier: Apache-2.0 */
/* A set's kernels with their arguments for one extent, on a device: launching a candidate, comparing what it
 * computes, and timing it. */
#ifndef BENCH_H
#define BENCH_H

#include "tune/candidates.h"
#include "tune/generator.h"
#include "tune/gpu.h"
#include "tune/results.h"

#include <cubinet/launch.h>

struct bench_argument {
    struct generated host;
    CUdeviceptr device;   /* 0: a scalar */
    CUdeviceptr pristine; /* of an output: the values that it starts with */
    void *right;          /* of an output: what it has to be; NULL until that is known */
};

struct bench {
    struct gpu *gpu;
    const struct tune_set *set;
    const struct tune_extent *extent;
    cubinet_kernel *const *kernels; /* of the instances */
    struct bench_argument *arguments;
    bool is_cold;
};

/* Makes the arguments and copies them to the device. */
cubinet_status bench_open(struct gpu *gpu, const struct tune_set *set, const struct tune_extent *extent,
                          uint32_t multiprocessors, const char *folder, cubinet_kernel *const *kernels,
                          struct bench *out_bench);
void bench_close(struct bench *bench);

/* Whether anything is compared: a set without outputs has no results. */
bool bench_has_results(const struct bench *bench);

/* Launches a candidate and takes its results for right, but for those that files have. */
cubinet_status bench_set_right(struct bench *bench, const struct candidate *candidate);

/* Launches a candidate and compares its results. A wrong one is CUBINET_ERROR_INVALID_ARGUMENT, and the
 * message says what is wrong. Then gpu->is_lost tells whether anything more can be launched. */
cubinet_status bench_check(struct bench *bench, const struct candidate *candidate);

/* The time of one launch in nanoseconds, from `repeats` of them, 1 to GPU_MOST_TIMED. */
cubinet_status bench_time(struct bench *bench, const struct candidate *candidate, unsigned repeats,
                          double *out_time);

/* How many launches make a time that the resolution of events does not show in. */
unsigned bench_repeats(double time);

#endif
