/* SPDX-License-Identifier: Apache-2.0 */
/* What other tools have compressed with zlib or zstd. */
#ifndef UNPACK_H
#define UNPACK_H

#include <cubinet/status.h>

#include <stddef.h>
#include <stdint.h>

enum unpack_method { UNPACK_ZLIB, UNPACK_ZSTD };

/* The method by the bytes' magic number. */
enum unpack_method unpack_method_of(const unsigned char *data, size_t size);

/* Decompresses to `before` bytes that are left for the caller to fill in, and `raw_size` bytes after them,
 * in memory that the caller frees. CUBINET_ERROR_DAMAGED for bytes that give another size, and for a size
 * that no file of device code has. `what`: is called so in the message */
cubinet_status unpack(const char *what, enum unpack_method method, const unsigned char *data, size_t size,
                      size_t before, uint64_t raw_size, unsigned char **out_data);

#endif
