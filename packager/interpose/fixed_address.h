/* SPDX-License-Identifier: Apache-2.0 */
/* Having the dynamic loader put a library at an address of our choosing.
 *
 * What NVRTC writes into a precompiled header are its own data structures, with pointers into its library. So
 * the library has to lie at the same address in the process that makes one and in those that use it. The
 * loader leaves the choice to the kernel, which picks any hole that is large enough; so all other holes are
 * filled with reserved, inaccessible memory, which costs nothing, while the library is opened. Unlike
 * personality(ADDR_NO_RANDOMIZE) this needs no permission that containers withhold (Docker's default profile
 * does), no new start of the process, and the address depends on neither the kernel nor limits nor preloaded
 * libraries. */
#ifndef FIXED_ADDRESS_H
#define FIXED_ADDRESS_H

#include <cubinet/status.h>

#include <stddef.h>

struct reserved_memory {
    void *address;
    size_t size;
};

struct fixed_address {
    struct reserved_memory *reserved;
    size_t count;
};

/* Leaves the one hole that the library of this file fits into, at the address that is the same in every
 * process. Small mappings still find room elsewhere. No other thread may run until the hole is used.
 * CUBINET_ERROR_IO if that cannot be done here; the message says why. */
cubinet_status fixed_address_prepare(const char *library, struct fixed_address *out_address);

/* Gives the reserved memory back. */
void fixed_address_release(struct fixed_address *address);

/* Where the file of a library that holds `symbol` begins in memory; NULL if there is none. */
const void *fixed_address_of(const void *symbol);

/* Where the library is put. */
void *fixed_address_wanted(void);

#endif
