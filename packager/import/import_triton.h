/* SPDX-License-Identifier: Apache-2.0 */
/* Triton's cache: a folder for each kernel and variant, with NAME.json beside NAME.cubin, NAME.ptx and
 * NAME.ttir. */
#ifndef IMPORT_TRITON_H
#define IMPORT_TRITON_H

#include "import/import_list.h"

#include <stdbool.h>

/* Adds the kernel that a json of Triton's describes. *out_is_one is false for any other file; nothing is
 * added then. CUBINET_ERROR_DAMAGED if numbers in it are none that a launch could have. */
cubinet_status import_triton(const char *path, struct import_list *list, bool *out_is_one);

#endif
