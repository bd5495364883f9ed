/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a cubin: NVIDIA's ELF for machine code, with what ptxas recorded of each kernel. */
#ifndef CUBIN_H
#define CUBIN_H

#include "contents.h"

/* Reads a cubin of any architecture that CUDA 12 and 13 toolkits make.
 * Fails with CUBINET_ERROR_DAMAGED on anything that is not one; never reads outside the `size` bytes.
 * The suffix is 'a' or 0: the ELF does not tell 'f' (docs/format.md records it apart). */
cubinet_status cubin_read(const void *data, size_t size, struct contents *out_contents);

#endif
