/* SPDX-License-Identifier: Apache-2.0 */
/* Man pages and completions of all subcommands, from what their --help prints. */
#ifndef MANUAL_H
#define MANUAL_H

#include "command/commands.h"

#include <cubinet/status.h>

/* Prints the man page of one of the commands, whose list a NULL ends, or of `cubinet` itself if `command` is
 * NULL. */
cubinet_status manual_print(const struct command *const *commands, const struct command *command);

/* Prints the completions for a shell: bash, zsh or fish. CUBINET_ERROR_INVALID_ARGUMENT for another. */
cubinet_status manual_print_completions(const struct command *const *commands, const char *shell);

#endif
