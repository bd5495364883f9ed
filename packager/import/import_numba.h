/* SPDX-License-Identifier: Apache-2.0 */
/* numba-cuda's cache, and numba-cuda-mlir's: MODULE.FUNCTION-LINE.py311.1.nbc, a pickle for each signature
 * and GPU. */
#ifndef IMPORT_NUMBA_H
#define IMPORT_NUMBA_H

#include "import/import_list.h"

#include <stdbool.h>

/* Adds the kernel in a .nbc of theirs. *out_is_one is false for any other file, such as numba's own of
 * a function for the processor; nothing is added then. */
cubinet_status import_numba(const char *path, struct import_list *list, bool *out_is_one);

#endif
