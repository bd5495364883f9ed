/* SPDX-License-Identifier: Apache-2.0 */
/* What takes the room in a file's fatbins: by target, and by kernel. */
#ifndef SLIM_TARGETS_H
#define SLIM_TARGETS_H

#include "slim/slim_plan.h"

struct slim_target {
    cubinet_target target; /* of kind 0: it is not known */
    int code;              /* the kind as the fatbin has it */
    size_t images;
    uint64_t bytes;     /* in the file */
    uint64_t raw_bytes; /* decompressed */
    size_t stay_images;
    uint64_t stay_bytes; /* in the new file */
};

/* In cubinet_target_compare()'s order. The caller frees them. */
cubinet_status slim_targets_find(const struct slim_plan *plan, struct slim_target **out_targets,
                                 size_t *out_count);

struct slim_kernel {
    char *name;          /* lowered; also of a function that kernels call */
    size_t images;       /* that it is in */
    uint64_t bytes;      /* its share of the file, over all images: that of its machine code in an image's */
    uint64_t stay_bytes; /* the same of the new file */
};

/* Those in machine code that can be read, the largest first. The caller frees them. */
struct slim_kernels {
    struct slim_kernel *items;
    size_t count;
};
cubinet_status slim_kernels_find(const struct slim_plan *plan, struct slim_kernels *out_kernels);
void slim_kernels_free(struct slim_kernels *kernels);

#endif
