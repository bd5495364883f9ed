/* SPDX-License-Identifier: Apache-2.0 */
/* What slimming a file comes to, for people and for programs. */
#ifndef SLIM_SHOW_H
#define SLIM_SHOW_H

#include "slim/slim_layout.h"
#include "slim/slim_plan.h"

struct slim_shown {
    const char *path;
    const struct slim_plan *plan;
    const struct slim_layout *layout;
    const char *const *devices; /* labels, as many as were asked for */
    size_t device_count;
    uint32_t most_kernels; /* that are listed */
};

/* Prints tables by target and by kernel. */
cubinet_status slim_show(const struct slim_shown *shown);
cubinet_status slim_show_json(const struct slim_shown *shown);

#endif
