/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning records as JSON, as `cubinet inspect --json` prints them: docs/reference/tuning-records.md. */
#ifndef TUNING_FILE_H
#define TUNING_FILE_H

#include "archive/draft.h"

#include <stddef.h>

/* Reads a file, and puts its records into the modules of the draft that have their images.
 * CUBINET_ERROR_INVALID_ARGUMENT, with a message that names the file and the record, for what is not such a
 * file. Records whose images the draft does not have are left out: `out_left_out` counts them. If that is all
 * of them, it is CUBINET_ERROR_NOT_FOUND. */
cubinet_status tuning_file_add(const char *path, struct draft *draft, size_t *out_left_out);

#endif
