/* SPDX-License-Identifier: Apache-2.0 */
/* Reading PTX: its target and version, its kernels and variables. */
#ifndef PTX_H
#define PTX_H

#include "contents.h"

#include <stddef.h>

/* Reads PTX text (`size` bytes; no NUL is needed).
 * Fails with CUBINET_ERROR_DAMAGED on what is not PTX. Registers and maximum threads are CUBINET_UNKNOWN. */
cubinet_status ptx_read(const char *text, size_t size, struct contents *out_contents);

#endif
