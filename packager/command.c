/* SPDX-License-Identifier: Apache-2.0 */
#include "command.h"

#include <stdarg.h>
#include <stdio.h>

int command_failed(void)
{
    fprintf(stderr, "cubinet: error: %s\n", cubinet_error_message());
    return EXIT_FAILED;
}

int command_usage(const char *command)
{
    command_failed();
    if (command) {
        fprintf(stderr, "Try 'cubinet %s --help'.\n", command);
    } else {
        fputs("Try 'cubinet --help'.\n", stderr);
    }
    return EXIT_USAGE;
}

void command_warning(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("cubinet: warning: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}
