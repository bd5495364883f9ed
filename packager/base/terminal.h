/* SPDX-License-Identifier: Apache-2.0 */
/* What the command prints. Names, messages of compilers and answers of servers come from anybody, so all that
 * goes to standard output and standard error is escaped in one place: a terminal is sent text, and nothing
 * that controls it or changes what other lines seem to say (text.h). JSON stays JSON, since the escapes are
 * its own. */
#ifndef TERMINAL_H
#define TERMINAL_H

#include <stddef.h>
#include <stdio.h>

/* Has stdout and stderr escaped from here on: line feeds and tabs stay, and a carriage return before a line
 * feed is dropped. */
void terminal_start(void);

/* Flushes both and has them as they were. */
void terminal_finish(void);

/* Prints bytes as they are: a file that is asked for on standard output. Whether that failed shows in stdout.
 */
void terminal_bytes(const void *bytes, size_t size);

/* Sends a sequence of the command's own that controls the terminal to stdout or stderr. */
void terminal_control(FILE *stream, const char *sequence);

#endif
