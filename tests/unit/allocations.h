/* SPDX-License-Identifier: Apache-2.0 */
/* The allocations of a test program, and so of the library in it: counted, and one of them made to fail. For
 * tests that cubinet_watch_allocations() in CMakeLists.txt names. Those of other libraries pass by. */
#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H

#include <cubinet/status.h>

/* Counts from here on, in every thread, and lets the one of that number fail, of which the first is 1; 0:
 * none. */
void allocations_watch(unsigned int failing);

/* How many there were since. */
unsigned int allocations_made(void);

/* Counts no more, lets none fail, and returns how many there were. */
unsigned int allocations_stop(void);

/* Lets each allocation of a run fail in turn. Each time the run must say that memory is out, or come to
 * `expected`, with the same message as without a fault unless memory was out for that. Returns how many had
 * the status of the former. */
unsigned int allocations_fail_each(cubinet_status (*run)(void *data), void *data, cubinet_status expected);

#endif
