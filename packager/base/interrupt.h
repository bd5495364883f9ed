/* SPDX-License-Identifier: Apache-2.0 */
/* Being stopped by the user or the system: what must not be left behind. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

/* Has SIGINT, SIGTERM and SIGHUP remove the file at `path` before they end the process; NULL: no file any
 * more. One file at a time: a second call takes the place of the first. `path` is used until then. Signals
 * that are ignored stay ignored. */
void interrupt_remove(const char *path);

/* Has the same signals call a function, which does only what is safe in a signal handler: up to four
 * functions, in the order of the calls. For the main thread; the handler must not run in others, so they
 * block signals. */
void interrupt_call(void (*function)(void));

/* Waits for the end of a process that such a signal is about to end. What has failed by then may have failed
 * because of it, as compilers do that are killed first. */
void interrupt_let_end(void);

#endif
