/* SPDX-License-Identifier: Apache-2.0 */
/* How many threads this process may run at a time: one, and more where they are given to it.
 *
 * Under make's jobserver, and in `cubinet build`, threads are taken from what the whole build was given and
 * put back as soon as they are done with, when a signal ends the process as well. Without either, more than
 * one thread run only if the user says so. */
#ifndef THREADS_H
#define THREADS_H

#include <cubinet/status.h>

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Has the processes that this one becomes or starts share `jobs` threads (0: as many as processors), by a
 * file in `folder`, unless make's jobserver is there for them. */
cubinet_status threads_offer(const char *folder, uint32_t jobs);

/* How many that are: `jobs`, or as many as processors. */
size_t threads_of_build(uint32_t jobs);

/* Looks for what threads can be taken from. `is_chosen`: the user limits them, to `limit` or, if that is 0,
 * to as many as there are processors. Waits for the first thread where a build has too many processes. */
void threads_start(size_t limit, bool is_chosen);

/* Whether threads are taken from what others take them from, too. */
bool threads_are_shared(void);

/* Takes up to `wanted` threads beside the caller's own without waiting for any, and returns how many: their
 * names in `out_ids`, which has room for `wanted`. Called by the main thread alone. */
size_t threads_take(size_t wanted, size_t *out_ids);

/* Starts a thread, which must have been taken; false if the system starts none. Signals are for the main
 * thread: see above and interrupt.h. */
bool threads_begin(pthread_t *out_thread, void *(*run)(void *), void *data);

/* Puts threads back; called from any thread. */
void threads_give_back(const size_t *ids, size_t count);

#endif
