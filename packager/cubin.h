/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a cubin: NVIDIA's ELF for machine code, with what ptxas recorded of each kernel. docs/cubin.md says
 * what is read from where. */
#ifndef CUBIN_H
#define CUBIN_H

#include "contents.h"

/* Reads a cubin of any architecture that CUDA 12 and 13 toolkits make, into contents that the caller frees.
 * `data` needs no alignment and is not written to.
 *
 * Fails with CUBINET_ERROR_DAMAGED, and a message that says what was found, on anything that is not one
 * (relocatable objects included), and CUBINET_ERROR_OUT_OF_MEMORY.
 *
 * The suffix: 'a' is part of the ELF. 'f' is not: it is known only from the options that the assembler noted,
 * so 0 for an 'f' image is possible.
 * Resources equal what cuFuncGetAttribute() reports. The minimum of blocks for each multiprocessor is not in
 * a cubin: it is CUBINET_UNKNOWN for a kernel with launch bounds and 0 for one without. Globals are the
 * variables of the source, `static` ones too: the ELF does not tell them apart. */
cubinet_status cubin_read(const void *data, size_t size, struct contents *out_contents);

#endif
