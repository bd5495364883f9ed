/* SPDX-License-Identifier: Apache-2.0 */
/* Code that the driver has loaded: a CUlibrary. It belongs to no context, so modules of several devices that
 * were loaded together share one; the last to let go of it unloads it. */
#ifndef CBN_DEVICE_CODE_H
#define CBN_DEVICE_CODE_H

#include "loader/driver/driver_table.h"

#include <stdatomic.h>
#include <stdbool.h>

enum { CBN_JIT_LOG_SIZE = 8192 };

struct cbn_device_code {
    CUlibrary library; /* NULL until the driver has taken the image */
    char *jit_log;     /* the driver may write to it as long as the library lives; NULL for a cubin */
    atomic_uint users;
};

/* One for the caller, who lets go of it; NULL if memory is out. */
struct cbn_device_code *cbn_device_code_new(bool with_jit_log);
struct cbn_device_code *cbn_device_code_share(struct cbn_device_code *code);

/* Unloads the library if nobody else uses it. NULL is allowed. From any thread. */
cbn_cu_result cbn_device_code_release(const struct cbn_driver_table *cu, struct cbn_device_code *code);

#endif
