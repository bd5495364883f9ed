/* SPDX-License-Identifier: Apache-2.0 */
/* Name expressions that a source need not declare, because another source of the same module does. */
#ifndef OPTIONAL_NAMES_H
#define OPTIONAL_NAMES_H

#include "loader/core/support/text_list.h"
#include "toolkit/nvrtc.h"

#include <stdbool.h>

/* Copies to `kept` the expressions that NVRTC's log does not refuse. False if it refuses none: then nothing
 * is copied. */
cubinet_status optional_names_keep(const char *log, const struct cbn_text_list *expressions,
                                   struct cbn_text_list *kept, bool *out_refused);

/* Gives `result`, of a compile with the kept expressions, a lowered name for each of all `expressions`: ""
 * for those that were left out. */
cubinet_status optional_names_spread(const struct cbn_text_list *expressions,
                                     const struct cbn_text_list *kept, struct nvrtc_result *result);

#endif
