/* SPDX-License-Identifier: Apache-2.0 */
/* Reading PTX: its target and version, its kernels and variables. */
#ifndef PTX_H
#define PTX_H

#include "image/contents.h"

#include <stddef.h>

/* Reads PTX text (`size` bytes; no NUL is needed, and NULs at the end are not read) into contents that the
 * caller frees.
 *
 * Fails with CUBINET_ERROR_DAMAGED, and a message that names the line, on what is not PTX, and with
 * CUBINET_ERROR_OUT_OF_MEMORY.
 *
 * Kernels: every .entry with a body, whatever its linkage. What PTX does not tell is CUBINET_UNKNOWN:
 * registers, local and constant bytes, maximum threads. Static shared bytes are known for a kernel that makes
 * no calls and uses no shared variable, or a single one in a module without dynamic shared memory; the layout
 * of anything else is up to ptxas. Launch bounds, cluster sizes and parameters are those of the cubin that
 * ptxas makes for the PTX's own target. (A parameter that is aligned to more than 16 bytes may have another
 * offset on a newer device.)
 *
 * Globals: .global and .const variables, but for those of opaque types and cbn_is_compilers_own().
 * Without -rdc, NVRTC gives none of them .visible, and the driver finds them all by name.
 *
 * The toolkit is what the compiler wrote in a comment before .version. */
cubinet_status ptx_read(const char *text, size_t size, struct contents *out_contents);

#endif
