/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a slimmed file, and reading it again. */
#ifndef SLIM_WRITE_H
#define SLIM_WRITE_H

#include "slim/slim_layout.h"
#include "slim/slim_plan.h"

#include <stdio.h>

/* Writes to a new, empty file that can be read, too. Zeros are not written: where the file system has holes,
 * they take no room. CUBINET_ERROR_IO, with errno's text. */
cubinet_status slim_write(const struct slim_plan *plan, const struct slim_layout *layout, FILE *stream);

/* Compares what was written with the file that it was made of: what is loaded at each address, every section,
 * every image that stays. CUBINET_ERROR_DAMAGED if they differ where they must not. */
cubinet_status slim_check(const struct slim_plan *plan, const struct slim_layout *layout, const void *written,
                          size_t size);

#endif
