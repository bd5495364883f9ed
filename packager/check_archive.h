/* SPDX-License-Identifier: Apache-2.0 */
/* All that `cubinet verify` checks of an archive that the library has opened. */
#ifndef CHECK_ARCHIVE_H
#define CHECK_ARCHIVE_H

#include "problems.h"
#include "shown_archive.h"

/* Checks the index, every image and the zip structure against each other and against docs/format.md. Images
 * that have more bytes than `image_limit` are left out (0: none are). Adds to `problems` what is wrong; a
 * failure is one to check. */
cubinet_status check_archive(const struct shown_archive *shown, uint64_t image_limit,
                             struct problems *problems);

#endif
