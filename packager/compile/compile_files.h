/* SPDX-License-Identifier: Apache-2.0 */
/* Checking that no file of a compile destroys another. */
#ifndef COMPILE_FILES_H
#define COMPILE_FILES_H

#include "compile/compile_arguments.h"

/* CUBINET_ERROR_INVALID_ARGUMENT if an output is the source, a header of -include, another file that an
 * option names, or another output. */
cubinet_status compile_files_check(const struct compile_arguments *arguments);

#endif
