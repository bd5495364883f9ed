/* SPDX-License-Identifier: Apache-2.0 */
#include "driver_calls.h"

#include "measure.h"

void driver_calls_find(cubinet_driver *driver, struct driver_calls *out_calls)
{
#define X(name, parameters)                                                                                  \
    MUST_OF(#name, cubinet_driver_get_proc_address(driver, #name, (void **)&out_calls->name));
    DRIVER_CALLS(X)
#undef X
}

void driver_calls_take_first_gpu(const struct driver_calls *calls)
{
    CUcontext context = NULL;
    MUST_OF("the first GPU", calls->cuDevicePrimaryCtxRetain(&context, 0));
    MUST_OF("the first GPU", calls->cuCtxSetCurrent(context));
}
