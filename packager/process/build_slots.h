/* SPDX-License-Identifier: Apache-2.0 */
/* How `cubinet build -j N` keeps its compiles at N threads in all, whichever Ninja runs them: a file of which
 * each running thread has one of N bytes locked. The system takes the locks of a process back however it
 * ends, so that none is ever lost, and nothing has to watch over them. */
#ifndef BUILD_SLOTS_H
#define BUILD_SLOTS_H

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Has the processes that this one becomes or starts share `count` slots, kept in a file of `folder`. */
cubinet_status build_slots_offer(const char *folder, uint32_t count);

/* Takes back what an outer build offered. */
cubinet_status build_slots_offer_none(void);

/* Opens the slots that were offered to this process and waits until it has one of them, for
 * $CUBINET_CACHE_WAIT at most: then it warns, and goes on without. False if none were offered, or the file
 * system has no locks.
 */
bool build_slots_open(void);

/* Takes a slot if one is free, and does not wait for it. For one thread at a time. */
bool build_slots_take(size_t *out_slot);

/* From any thread. */
void build_slots_give_back(size_t slot);

#endif
