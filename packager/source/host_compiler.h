/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are for compilers that they know: they refuse others, or define macros for those alone. The
 * reader takes them as gcc does, and NVRTC does not say that it is one. */
#ifndef HOST_COMPILER_H
#define HOST_COMPILER_H

#include "source/host_skip.h"

/* Whether an error on a line of a file shows that it has to: a refusal, or a macro that is not there. */
bool host_compiler_is_wanted(const struct host_skip *skip, size_t file, unsigned long line, const char *said);

/* Whether it is an #error. */
bool host_compiler_is_refused(const char *said);

#endif
