/* SPDX-License-Identifier: Apache-2.0 */
/* The calling thread's last error: every function that fails says why here and returns the status. */
#ifndef CBN_ERROR_H
#define CBN_ERROR_H

#include <cubinet/status.h>

#include <stdarg.h>

/* Sets the thread's message and returns `status`, so that `return cbn_error(...)` does both.
 * Arguments may point into the current message: it is replaced only when the new one is complete. */
__attribute__((format(printf, 2, 3))) cubinet_status cbn_error(cubinet_status status, const char *format,
                                                               ...);
__attribute__((format(printf, 2, 0))) cubinet_status cbn_verror(cubinet_status status, const char *format,
                                                                va_list args);

/* As cbn_error, but puts the new text and ": " before the message that is there: context for a callee's
 * error. */
__attribute__((format(printf, 2, 3))) cubinet_status cbn_error_context(cubinet_status status,
                                                                       const char *format, ...);

/* As cbn_error, and keeps the CUresult for cubinet_error_driver_result(). */
__attribute__((format(printf, 3, 4))) cubinet_status cbn_error_driver(cubinet_status status, int result,
                                                                      const char *format, ...);

/* Out of host memory; never allocates. */
cubinet_status cbn_error_memory(void);

/* The thread's message, kept over calls whose failures nobody shall hear of. Put back in any case; without
 * memory to keep it the message is lost. */
struct cbn_kept_error {
    char *text;
    int driver_result;
};
struct cbn_kept_error cbn_error_keep(void);
void cbn_error_put_back(struct cbn_kept_error *kept);

#endif
