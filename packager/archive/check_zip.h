/* SPDX-License-Identifier: Apache-2.0 */
/* An archive's zip directory against its index. */
#ifndef CHECK_ZIP_H
#define CHECK_ZIP_H

#include "archive/listing.h"
#include "base/problems.h"

/* Reads the archive as a zip file, first its directory as most tools do, then entry by entry through
 * libarchive, and compares the entries' names, order, method, sizes, places and bytes with what the index
 * says. The listing has every module of the archive. A failure is one of this process:
 * CUBINET_ERROR_OUT_OF_MEMORY. */
cubinet_status check_zip(const cubinet_archive *archive, const struct listing *listing,
                         struct problems *problems);

#endif
