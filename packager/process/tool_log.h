/* SPDX-License-Identifier: Apache-2.0 */
/* What a program that the command starts says, in a file that exists in memory alone. However much it says,
 * no more than a bound is held. */
#ifndef TOOL_LOG_H
#define TOOL_LOG_H

#include <cubinet/status.h>

/* A descriptor for the program's standard output and error, which the caller closes; -1 with errno. What the
 * program writes beyond 64 MB is lost. */
int tool_log_open(void);

/* What was said, which the caller frees: of a long text its start and its end, 8 MB each, and between them
 * how much is left out. */
cubinet_status tool_log_read(int fd, char **out_text);

#endif
