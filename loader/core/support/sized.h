/* SPDX-License-Identifier: Apache-2.0 */
/* The public structs that start with their own size, so that programs and libraries of different versions
 * understand each other. */
#ifndef CBN_SIZED_H
#define CBN_SIZED_H

#include <cubinet/status.h>

#include <stddef.h>
#include <stdint.h>

/* Reads a caller's options into `known` (`known_size` bytes, whose first member is its size). NULL and
 * members that the caller's version lacks are zero. A member that this version lacks must be zero, or the
 * answer is CUBINET_ERROR_INVALID_ARGUMENT. `what` is the struct's name. */
cubinet_status cbn_sized_read(const void *given, const char *what, void *known, size_t known_size);

/* CUBINET_ERROR_INVALID_ARGUMENT if options have flags that this version does not know, or something in a
 * reserved member. */
cubinet_status cbn_flags_check(const char *what, uint32_t flags, uint32_t known_flags, uint64_t reserved);

/* CUBINET_ERROR_INVALID_ARGUMENT unless cbn_sized_write() can write into a caller's struct. */
cubinet_status cbn_sized_check(const void *out, const char *what);

/* Writes `known` into a caller's struct: as many bytes as both have, and not the size. */
cubinet_status cbn_sized_write(void *out, const char *what, const void *known, size_t known_size);

#endif
