/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs by name, with their compute capabilities. */
#ifndef GPUS_H
#define GPUS_H

#include <cubinet/status.h>

#include <stddef.h>

struct gpu {
    const char *name; /* without "NVIDIA", "GeForce", "Tesla" and "Quadro" */
    int compute;      /* 10 × major + minor */
};

/* In descending order of compute capability. */
extern const struct gpu gpus[];
extern const size_t gpu_count;

/* One capability of each generation that people have, with the name by which they know it, ascending. */
extern const struct gpu gpu_generations[];
extern const size_t gpu_generation_count;

/* The compute capability that a user's word stands for: "9.0", "90", "sm_90", "h100", "GeForce RTX 4090".
 * Case, spaces, '-', '_' and the maker's and brands' names don't count. out_name: the GPU's name, or NULL if
 * the word is a number; may be NULL CUBINET_ERROR_NOT_FOUND, whose message has the nearest name. */
cubinet_status gpu_find(const char *word, int *out_compute, const char **out_name);

/* The first name of a capability, or NULL. */
const char *gpu_example(int compute);

#endif
