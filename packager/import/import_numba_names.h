/* SPDX-License-Identifier: Apache-2.0 */
/* Names and types of a kernel's parameters, from the LLVM IR and the signature that numba-cuda keeps. */
#ifndef IMPORT_NUMBA_NAMES_H
#define IMPORT_NUMBA_NAMES_H

#include "image/launch_record.h"
#include "import/pickle.h"

/* Adds a name for each parameter of the kernel; none if the IR does not have it. An array `x` is x.meminfo,
 * x.parent, x.nitems, x.itemsize, x.data, x.shape0, … and x.stride0, …
 *
 * types: of the function's arguments, in their order, as the signature has them; NULL: not known */
cubinet_status import_numba_names(const char *ir, size_t size, const char *kernel,
                                  const struct pickle_value *types, struct launch_record *record);

/* What numba calls a type, such as "array(float32, 1d, C)"; NULL: the value is none. */
const struct pickle_value *import_numba_type_name(const struct pickle_value *type);

#endif
