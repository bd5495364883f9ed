/* SPDX-License-Identifier: Apache-2.0 */
/* GNU make's jobserver, from a client's side: a pipe or a named pipe with a byte in it for each thread that
 * may run and does not. Every process that make starts may run one thread without a byte.
 * https://www.gnu.org/software/make/manual/html_node/POSIX-Jobserver.html */
#ifndef JOBSERVER_H
#define JOBSERVER_H

#include <stdbool.h>
#include <stddef.h>

/* Opens the jobserver that MAKEFLAGS names (`makeflags`: its value, or NULL); false if there is none, or none
 * that this process may use: make closes the pipe for commands that are not a make themselves, unless their
 * line starts with '+' or make is of version 4.4 or later. */
bool jobserver_open(const char *makeflags);

/* Takes a byte if there is one, and does not wait for it. For one thread at a time, with a handler for
 * signals in that thread alone. */
bool jobserver_take(size_t *out_token);

/* Puts back what jobserver_take() took; from any thread. */
void jobserver_give_back(size_t token);

/* Puts back all, once: for a signal handler. */
void jobserver_give_back_all(void);

#endif
