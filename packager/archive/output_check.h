/* SPDX-License-Identifier: Apache-2.0 */
/* Finding out before long work whether its result can be written. */
#ifndef OUTPUT_CHECK_H
#define OUTPUT_CHECK_H

#include <cubinet/status.h>

/* CUBINET_ERROR_INVALID_ARGUMENT for "-": an archive is a file that programs map, not a stream. */
cubinet_status output_check_name(const char *path);

/* CUBINET_ERROR_IO if a file could not be put at `path`: it is a folder, or its folder is not there or takes
 * no files. CUBINET_ERROR_INVALID_ARGUMENT if a program with an archive inside is there: whoever names one as
 * an archive to read and change would lose the program. */
cubinet_status output_check(const char *path);

#endif
