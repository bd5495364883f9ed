/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver's results mean for Cubinet's callers. */
#ifndef CBN_DRIVER_ERRORS_H
#define CBN_DRIVER_ERRORS_H

#include "loader/driver/driver_table.h"

#include <stdbool.h>

/* A result in words: "CUDA_ERROR_NOT_FOUND (500): named symbol not found", with advice where there is some.
 */
struct cbn_result_text {
    char text[384];
};
struct cbn_result_text cbn_result_describe(const struct cbn_driver_table *cu, cbn_cu_result result);

/* CUBINET_OK for CUDA_SUCCESS. */
cubinet_status cbn_result_status(cbn_cu_result result);

/* Sets the thread's message to what was called (printf-like, such as "cuDeviceGet(%d)") and the result in
 * words, and returns the result's status. */
__attribute__((format(printf, 3, 4))) cubinet_status
cbn_driver_failed(const struct cbn_driver_table *cu, cbn_cu_result result, const char *call, ...);

#endif
