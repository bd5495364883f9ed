/* SPDX-License-Identifier: Apache-2.0 */
/* What the subcommands of `cubinet` have in common: how they read arguments, messages and exit
 * statuses. */
#ifndef COMMAND_H
#define COMMAND_H

#include "base/help.h"
#include "base/options.h"

#include <cubinet/archive.h>
#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>

/* Prepares the process; call before a command is run. */
void command_start(void);

/* What a subcommand does with one of its options, by id, or with another argument (OPTION_POSITIONAL). */
typedef cubinet_status (*command_option_fn)(void *data, int id, const char *value);

/* Reads arguments until none is left, one is refused, or it is --help, which sets `*out_help`. */
cubinet_status command_read(const struct option *options, int argc, char **argv, command_option_fn take,
                            void *data, bool *out_help);

/* The arguments that are not options, in order. */
struct positionals {
    const char *values[3];
    size_t count;
};

/* Takes one more; CUBINET_ERROR_INVALID_ARGUMENT if there are `most` already. */
cubinet_status command_take(struct positionals *positionals, size_t most, const char *value);

/* Puts a copy of an option's value, which the caller frees, in the place of an earlier one's or NULL. */
cubinet_status command_copy(char **text, const char *value);

/* Reads an option's number; `what` are its units, for the message. */
cubinet_status command_number(const char *text, const char *what, uint32_t least, uint32_t most,
                              uint32_t *out_number);

/* The most threads that a block has on any device. */
enum { MAX_BLOCK_THREADS = 1024 };

/* Exit statuses. */
enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_TIMED_OUT = 124 /* as timeout(1)'s */ };

/* Prints "cubinet: error: " and the thread's message (or the given text) on standard error. */
int command_failed(void); /* returns EXIT_FAILED, or what command_fails_with() was given */
void command_fails_with(int exit_status);
int command_usage(const char *command);  /* adds where help is; returns EXIT_USAGE */
int command_exit(cubinet_status status); /* EXIT_OK, or command_failed() */
__attribute__((format(printf, 1, 2))) void command_warning(const char *format, ...);

#endif
