/* SPDX-License-Identifier: Apache-2.0 */
/* Being stopped by the user or the system: what must not be left behind. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

/* Has SIGINT, SIGTERM and SIGHUP remove the file at `path` before they end the process; NULL: no file any
 * more. One file at a time: a second call takes the place of the first. `path` is used until then. Signals
 * that are ignored stay ignored. */
void interrupt_remove(const char *path);

#endif
