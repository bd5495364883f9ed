/* SPDX-License-Identifier: Apache-2.0 */
/* What XLA leaves with --xla_dump_to: PTX of the kernels of each function that JAX compiled, a file for one
 * or several of them, and a list of the launches. */
#ifndef IMPORT_XLA_H
#define IMPORT_XLA_H

#include "import/import_list.h"

/* Adds the PTX that NAME.thunk_sequence.txt is about: parts of one module, with the block and the dynamic
 * shared memory of each kernel. *out_is_one: whether there is some; if not, nothing is added. */
cubinet_status import_xla(const char *path, struct import_list *list, bool *out_is_one);

#endif
