/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of a file's images. */
#ifndef SLIM_PLAN_H
#define SLIM_PLAN_H

#include "image/fatbin_pack.h"
#include "slim/slim_file.h"

#include <cubinet/select.h>

/* What somebody asks for. */
struct slim_wish {
    const cubinet_device_profile *devices; /* whose images stay; none: all images stay */
    size_t device_count;
    bool keeps_ptx; /* what GPUs still to come would get stays, too */
    bool is_packed; /* what stays and is not compressed is compressed, if that makes it smaller */
};

struct slim_plan {
    struct slim_file file;
    size_t fates[SLIM_RELOCATABLE + 1]; /* fatbins of each */
    uint64_t fate_bytes[SLIM_RELOCATABLE + 1];
    size_t *without; /* for each device: fatbins that have nothing for it */
};

/* Reads a file that stays in the caller's memory, and decides. As slim_file_read(); CUBINET_ERROR_NOT_FOUND
 * if none of the devices gets anything of any fatbin. The caller frees the result. */
cubinet_status slim_plan_make(const void *bytes, size_t size, const struct slim_wish *wish,
                              struct slim_plan *out_plan);
void slim_plan_free(struct slim_plan *plan);

/* Marks what of a fatbin stays, and says what becomes of it. gets: for each device, set if it gets an image
 */
cubinet_status slim_choose(struct slim_file *file, struct slim_fatbin *fatbin, const struct slim_wish *wish,
                           bool *gets);

/* Bytes of fatbins, before and after. */
uint64_t slim_plan_bytes(const struct slim_plan *plan, bool is_after);

/* Bytes that are zeros from now on. */
uint64_t slim_plan_zeros(const struct slim_plan *plan);

#endif
