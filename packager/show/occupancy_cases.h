/* SPDX-License-Identifier: Apache-2.0 */
/* What `cubinet occupancy` and `cubinet report` are about: kernels, each in the machine code of one image, on
 * the multiprocessors of one compute capability. */
#ifndef OCCUPANCY_CASES_H
#define OCCUPANCY_CASES_H

#include "show/explain_devices.h"
#include "show/shown_archive.h"

#include <cubinet/occupancy.h>

/* What is asked. */
struct occupancy_request {
    const char *kernel;             /* expression or lowered name; NULL: all */
    struct explain_devices devices; /* none: for each cubin its own compute capability */
    uint32_t block_threads;         /* 0: every block size */
    bool has_dynamic_shared;        /* the next is meant, also 0; without, what is recorded counts */
    uint32_t dynamic_shared_bytes;
    uint32_t max_registers; /* what if the kernels had no more; 0: as they are */
};

struct occupancy_case {
    const struct listing_module *module;
    uint32_t image;                     /* of the module */
    const cubinet_kernel_info *kernel;  /* belongs to the listing */
    int compute;                        /* 10 × major + minor, of the device */
    cubinet_kernel_resources resources; /* with max_registers applied */
    cubinet_device_limits limits;
    uint32_t dynamic_shared_bytes; /* that were asked for, or are recorded */
    bool lacks_dynamic_shared;     /* it takes some, and nobody says how much: 0 is counted */
    uint32_t own_block;            /* threads of the only block that is recorded; 0: none is */
};

struct occupancy_cases {
    struct occupancy_case *items; /* by module, then kernel, then compute capability */
    size_t count;
};

/* Collects the cases of an archive. What can't be told (no image for a device, PTX whose registers are not
 * known, a compute capability that is not known) is left out with a warning if the user named it.
 * CUBINET_ERROR_NOT_FOUND if there is no such kernel. */
cubinet_status occupancy_cases_make(const struct shown_archive *shown,
                                    const struct occupancy_request *request,
                                    struct occupancy_cases *out_cases);
void occupancy_cases_free(struct occupancy_cases *cases);

/* The end of the cases that are about the same kernel as the one at `first`. */
size_t occupancy_cases_same_kernel(const struct occupancy_cases *cases, size_t first);

/* Warns of kernels that take dynamic shared memory of which nobody says how much, once each. */
void occupancy_warn_of_shared(const struct occupancy_cases *cases);

/* A case's block sizes: multiples of a warp and the most that the kernel allows, or the one it requires or
 * that its launch record has. */
struct block_sizes {
    uint32_t first;
    uint32_t last;
    uint32_t step;
};
struct block_sizes occupancy_block_sizes(const struct occupancy_case *item);

/* The block size after `block`; 0 after the last. */
uint32_t occupancy_next_block(const struct block_sizes *sizes, uint32_t block);

/* A point of a case's curve. */
cubinet_occupancy occupancy_at(const struct occupancy_case *item, uint32_t block_threads);

/* The highest point and its block size, which is 0 if the kernel can't run. */
cubinet_occupancy occupancy_best(const struct occupancy_case *item, uint32_t *out_block_threads);

/* "sm_90a", or "sm_80 on 8.6" where the device is another than the image's. */
enum { CASE_PLACE_SIZE = 48 };
const char *occupancy_place(const struct occupancy_case *item, char text[CASE_PLACE_SIZE]);

/* "registers, warps"; "-" if nothing limits. */
const char *occupancy_limiter(const cubinet_occupancy *occupancy, char text[CUBINET_LIMITER_TEXT_SIZE]);

#endif
