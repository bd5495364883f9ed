/* SPDX-License-Identifier: Apache-2.0 */
/* Driver functions for the program's own calls. */
#include "loader/core/support/error.h"
#include "loader/driver/driver.h"
#include "loader/driver/errors.h"

/* The release after `version`: 12.9 is followed by 13.0. */
static int next_release(int version)
{
    return version % 1000 >= 90 ? (version / 1000 + 1) * 1000 : version + 10;
}

cubinet_status cubinet_driver_get_proc_address(const cubinet_driver *driver, const char *name,
                                               void **out_function)
{
    if (!driver || !name || !out_function) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_driver_get_proc_address: %s is NULL",
                         !driver ? "driver"
                         : !name ? "name"
                                 : "out_function");
    }
    /* The driver gives the newest signature up to a release: the oldest release that has one is asked for. */
    unsigned int search = CBN_CU_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
    for (int version = CBN_DRIVER_MINIMUM;
         version <= driver->version && search == CBN_CU_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
         version = next_release(version)) {
        void *function = NULL;
        cbn_cu_result result =
            driver->cu.cuGetProcAddress(name, &function, version, CBN_CU_PROC_ADDRESS_DEFAULT, &search);
        if (result != CBN_CU_SUCCESS && result != CBN_CU_NOT_FOUND) {
            return cbn_driver_failed(&driver->cu, result, "cuGetProcAddress of '%s'", name);
        }
        if (function) {
            *out_function = function;
            return CUBINET_OK;
        }
    }
    return cbn_error(CUBINET_ERROR_NOT_FOUND, "the driver (for CUDA %d.%d) has no function '%s'",
                     driver->version / 1000, driver->version % 1000 / 10, name);
}
