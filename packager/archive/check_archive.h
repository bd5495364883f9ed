/* SPDX-License-Identifier: Apache-2.0 */
/* All that `cubinet verify` checks of an archive that the library has opened. */
#ifndef CHECK_ARCHIVE_H
#define CHECK_ARCHIVE_H

#include "archive/listing.h"
#include "base/problems.h"

/* `listing`: all that the archive says of its modules. Checks the index, every image and the zip
 * structure against each other and against docs/reference/format.md. Images that have more bytes than
 * `image_limit` are left out (0: none are). Adds to `problems` what is wrong; a failure is one to check. */
cubinet_status check_archive(const cubinet_archive *archive, const struct listing *listing,
                             uint64_t image_limit, struct problems *problems);

#endif
