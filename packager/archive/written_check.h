/* SPDX-License-Identifier: Apache-2.0 */
/* An archive that was just made, as readers will find it. */
#ifndef WRITTEN_CHECK_H
#define WRITTEN_CHECK_H

#include <cubinet/status.h>

#include <stdio.h>

/* Opens the archive with the loader's own reader and has it check the whole index, every image's row too. The
 * images' bytes are not read again, so that this costs little. What the reader refuses is
 * CUBINET_ERROR_DAMAGED. */
cubinet_status written_check(const void *data, size_t size);

/* As written_check(), for the file that a stream has just written, which must be open for reading too. */
cubinet_status written_check_file(FILE *stream);

#endif
