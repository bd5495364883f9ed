/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of shared memory that differ by a constant: docs/internals/ptx-cleaning.md. */
#ifndef PTX_OFFSETS_H
#define PTX_OFFSETS_H

#include "base/buffer.h"

#include <stddef.h>

/* Appends the text with each access to shared memory whose address is that of an earlier access plus a
 * constant written that way, [%r1+4] for [%r2], so that fewer addresses are computed and kept in registers.
 * NVRTC takes such addresses for different 64-bit numbers; nvcc writes them like this. Functions that can't
 * be followed are left as they are. Of what is not PTX nothing is changed. */
void ptx_append_shared_offsets(const char *text, size_t size, struct buffer *out);

#endif
