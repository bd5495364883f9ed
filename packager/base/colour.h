/* SPDX-License-Identifier: Apache-2.0 */
/* Colours of messages on terminals. */
#ifndef COLOUR_H
#define COLOUR_H

#include <cubinet/status.h>

#include <stdbool.h>
#include <stdio.h>

enum colour { COLOUR_RED, COLOUR_MAGENTA, COLOUR_CYAN, COLOUR_GREEN };

/* Whether a stream is a terminal that understands escape sequences: TERM is set and not "dumb". */
bool colour_is_terminal(FILE *stream);

/* Reads the word of --color: auto (as if it was not given), always or never. */
cubinet_status colour_choose(const char *when);

/* Whether a stream gets colours: as chosen, or else if it is such a terminal and NO_COLOR is not set or
 * empty. */
bool colour_is_on(FILE *stream);

/* Prints text in a colour, or plainly. */
void colour_print(FILE *stream, enum colour colour, const char *text);

/* Prints lines of compilers and of this command, with "error:", "warning:" and "note:" in colour. */
void colour_messages(FILE *stream, const char *lines);

#endif
