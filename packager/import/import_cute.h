/* SPDX-License-Identifier: Apache-2.0 */
/* What CUTLASS's Python DSL leaves with CUTE_DSL_KEEP_IR, _CUBIN and _PTX: MLIR, and images of the same name.
 */
#ifndef IMPORT_CUTE_H
#define IMPORT_CUTE_H

#include "import/import_list.h"

/* Adds the images beside such MLIR, with what it says of their kernels: the block, whether the launch is
 * cooperative, and the shared memory that the DSL allots. *out_is_one: whether it is such a file with images;
 * if not, nothing is added. */
cubinet_status import_cute(const char *path, struct import_list *list, bool *out_is_one);

#endif
