/* SPDX-License-Identifier: Apache-2.0 */
/* The tuning records of a module, beyond what a reader checks. */
#ifndef CHECK_TUNINGS_H
#define CHECK_TUNINGS_H

#include "archive/listing.h"
#include "base/problems.h"

/* Adds to `problems` what no record says, and a record that is of another image than its digest. Images of
 * more than `image_limit` bytes are not read (0: all are). */
void check_tunings(const cubinet_archive *archive, const struct listing_module *module, uint64_t image_limit,
                   struct problems *problems);

#endif
