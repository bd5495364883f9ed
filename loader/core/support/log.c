/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/support/log.h"

#include <stdio.h>
#include <stdlib.h>

void cbn_vlog(const struct cbn_log *log, cubinet_log_level level, const char *format, va_list args)
{
    char *line = NULL;
    if (log->write && vasprintf(&line, format, args) >= 0) {
        log->write(log->user, level, line);
        free(line);
    }
}

void cbn_log(const struct cbn_log *log, cubinet_log_level level, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cbn_vlog(log, level, format, args);
    va_end(args);
}
