/* SPDX-License-Identifier: Apache-2.0 */
/* Lines for the log function that a program may have given. */
#ifndef CBN_LOG_H
#define CBN_LOG_H

#include <cubinet/log.h>

#include <stdarg.h>

struct cbn_log {
    cubinet_log_fn write; /* NULL: silence */
    void *user;
};

/* Hands a line to the log, if there is one. Leaves the thread's last error alone. */
__attribute__((format(printf, 3, 4))) void cbn_log(const struct cbn_log *log, cubinet_log_level level,
                                                   const char *format, ...);
__attribute__((format(printf, 3, 0))) void cbn_vlog(const struct cbn_log *log, cubinet_log_level level,
                                                    const char *format, va_list args);

#endif
