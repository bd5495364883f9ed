/* SPDX-License-Identifier: Apache-2.0 */
/* What `--list-launches` prints: each place that launches a kernel, and the kernels of the archive that it
 * may launch. */
#ifndef LAUNCH_LISTING_H
#define LAUNCH_LISTING_H

#include "archive/draft.h"
#include "base/buffer.h"
#include "source/launch_sites.h"

/* Writes a line for each site, of those that were found for all architectures, in order. */
cubinet_status launch_listing_write(struct launch_sites *sites, const struct draft_module *module,
                                    const struct draft_module *tile, struct buffer *out);

/* Writes a warning for each site whose kernel is certainly wanted and is not in the archive, though others of
 * its template are; none of the templates that are `said`. Adds their number. */
cubinet_status launch_listing_warn(struct launch_sites *sites, const struct draft_module *module,
                                   const struct draft_module *tile, const struct cbn_text_list *said,
                                   struct buffer *out, size_t *warnings);

#endif
