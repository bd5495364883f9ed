/* SPDX-License-Identifier: Apache-2.0 */
/* Which context a module lives in, and making it current while the driver needs it to be. */
#ifndef CBN_CONTEXT_H
#define CBN_CONTEXT_H

#include "loader/driver/driver.h"

struct cbn_context {
    CUcontext handle;
    bool is_retained; /* the device's primary context, retained for the module */
};

/* The thread's current context if it is of this device, otherwise the device's primary context, retained. */
cubinet_status cbn_context_choose(const struct cbn_driver_table *cu, const struct cbn_device *device,
                                  struct cbn_context *out_context);

/* Lets go of a context that was chosen. */
cbn_cu_result cbn_context_release(const struct cbn_driver_table *cu, const struct cbn_device *device,
                                  struct cbn_context *context);

/* Makes a context current in the thread if it is not, until cbn_context_leave() with what this one wrote to
 * `out_pushed`. */
cubinet_status cbn_context_enter(const struct cbn_driver_table *cu, CUcontext context, bool *out_pushed);

/* `status` is of the work that was done in the context: returned, its message untouched, if it is a failure.
 */
cubinet_status cbn_context_leave(const struct cbn_driver_table *cu, bool pushed, cubinet_status status);

#endif
