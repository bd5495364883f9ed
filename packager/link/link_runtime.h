/* SPDX-License-Identifier: Apache-2.0 */
/* The device runtime, for a link whose pieces call it: kernels that launch kernels. */
#ifndef LINK_RUNTIME_H
#define LINK_RUNTIME_H

#include "link/link_module.h"
#include "toolkit/device_runtime.h"

struct link_runtime {
    char *function;                /* one that a piece calls, or NULL */
    struct device_runtime library; /* without data if none is linked */
};

/* Looks what the record of the modules needs, and reads the library at `path` if that is the device runtime.
 * The caller frees the result, also after a failure. */
cubinet_status link_runtime_read(const struct link_request *request, const char *path,
                                 struct link_runtime *runtime);
void link_runtime_free(struct link_runtime *runtime);

#endif
