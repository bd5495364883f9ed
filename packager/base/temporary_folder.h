/* SPDX-License-Identifier: Apache-2.0 */
/* The user's folder among the system's temporary files, for what processes tell each other where they have no
 * cache's folder: $TMPDIR/cubinet-UID. */
#ifndef TEMPORARY_FOLDER_H
#define TEMPORARY_FOLDER_H

#include "loader/cache/cache_folder.h"

/* Opens it, made if it is missing; fd is -1 where that fails, or where it is not the user's alone. */
void temporary_folder_open(struct cbn_cache_folder *out_folder);

#endif
