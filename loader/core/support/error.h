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

/* The thread's message, set aside while calls are made whose failures nobody shall hear of. In the meantime
 * the thread has none. It stays where it is: the program may hold its text, which a call that succeeds must
 * not move. */
struct cbn_kept_error {
    struct cbn_message *message;
};
struct cbn_kept_error cbn_error_keep(void);

/* In place of the message that the calling thread has by now. */
void cbn_error_put_back(struct cbn_kept_error *kept);

/* After a call that fails with another message. */
void cbn_error_drop(struct cbn_kept_error *kept);

/* One of both, for a call that returns `status`, which this returns, too. */
cubinet_status cbn_error_settle(struct cbn_kept_error *kept, cubinet_status status);

/* "" and 0 if there was none. */
const char *cbn_kept_text(const struct cbn_kept_error *kept);
int cbn_kept_driver_result(const struct cbn_kept_error *kept);

#endif
