/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of what other systems left. */
#ifndef IMPORT_FOLDER_H
#define IMPORT_FOLDER_H

#include "import/import_list.h"

#include <stdbool.h>

/* Adds every file with device code in a folder and those below it, with what its system says of it. Files
 * whose suffix is none that device code has, and hidden ones, are passed over; symbolic links to folders are
 * not followed. CUBINET_ERROR_INVALID_ARGUMENT if there is none. */
cubinet_status import_folder(const char *path, struct import_list *list);

/* Adds what a file describes, if it is one that a system puts beside its images, or around them: Triton's
 * json, Warp's .meta, numba's .nbc, a pickle of cuda.core's. *out_is_one is false for any other. */
cubinet_status import_file(const char *path, struct import_list *list, bool *out_is_one);

#endif
