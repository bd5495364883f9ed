/* SPDX-License-Identifier: Apache-2.0 */
/* Reading bytecode of CUDA Tile IR: its version and its kernels. */
#ifndef TILEIR_READ_H
#define TILEIR_READ_H

#include "image/contents.h"

#include <stddef.h>

/* Reads bytecode of version 13.1 to 13.5 into contents that the caller frees. The target's number is the
 * version.
 *
 * Kernels: the functions that are entries. What they need is unknown, their parameters too: of them the
 * bytecode has types, and nothing says how the driver lays these out. Globals are not read.
 *
 * CUBINET_ERROR_DAMAGED for what is no Tile IR; CUBINET_ERROR_INVALID_ARGUMENT for later versions, whose
 * table of functions may have another form (that of 13.5 has), and for features that are previews, which
 * later drivers need not take. */
cubinet_status tileir_read(const void *data, size_t size, struct contents *out_contents);

#endif
