/* SPDX-License-Identifier: Apache-2.0 */
/* What Triton's ahead-of-time compiler (`python -m triton.tools.compile`) writes: C with a cubin in an array,
 * and with the call that launches its kernel. */
#ifndef IMPORT_TRITON_SOURCE_H
#define IMPORT_TRITON_SOURCE_H

#include "import/import_list.h"

/* Adds the cubin of such a file, and what the call says. *out_is_one: whether it is such a file; if not,
 * nothing is added. CUBINET_ERROR_DAMAGED if the array is not whole. */
cubinet_status import_triton_source(const char *path, struct import_list *list, bool *out_is_one);

#endif
