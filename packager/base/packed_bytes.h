/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that are kept small, as one zstd frame: what a cache holds of thousands of compiles is mostly the
 * same words again and again. */
#ifndef PACKED_BYTES_H
#define PACKED_BYTES_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

/* Appends the packed bytes. */
void packed_bytes_add(struct buffer *out, const void *bytes, size_t size);

/* The bytes that were packed, which the caller frees. False if these are not packed bytes, if they would be
 * more than `most`, or if there is no memory. */
bool packed_bytes_read(const void *packed, size_t packed_size, size_t most, char **out_bytes,
                       size_t *out_size);

#endif
