/* SPDX-License-Identifier: Apache-2.0 */
/* Keeping signals that end the command from being handled by NVRTC.
 *
 * While NVRTC compiles it handles SIGINT, SIGTERM and SIGHUP by leaving through exit(), in the handler: the
 * process then ends with a status of its own, not as one that a signal ended, which make and Ninja look at;
 * and if it precompiles headers it waits for a lock of its own for ever. It sets its handlers through
 * signal() and sigaction(), and the command exports its own (kept_signals.c). */
#ifndef KEPT_SIGNALS_H
#define KEPT_SIGNALS_H

#include <stdbool.h>

/* From true to false, what the process does about these signals can't be changed. */
void kept_signals(bool keep);

#endif
