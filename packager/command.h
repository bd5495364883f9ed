/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands of `cubinet`, one file each (cmd_*.c), and what they have in common. */
#ifndef COMMAND_H
#define COMMAND_H

#include <cubinet/status.h>

struct command {
    const char *name;
    const char *summary; /* one line, for `cubinet --help` */
    /* Runs with the arguments after the subcommand's name, and returns the exit status: 0 done, 1 failed, 2
     * wrong usage. `--help` prints to standard output and returns 0. */
    int (*run)(int argc, char **argv);
};

extern const struct command cmd_compile, cmd_pack, cmd_list, cmd_inspect, cmd_verify, cmd_extract,
    cmd_explain;

/* Exit statuses. */
enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* Prints "cubinet: error: " and the thread's message (or the given text) on standard error. */
int command_failed(void);               /* returns EXIT_FAILED */
int command_usage(const char *command); /* adds where help is; returns EXIT_USAGE */
__attribute__((format(printf, 1, 2))) void command_warning(const char *format, ...);

#endif
