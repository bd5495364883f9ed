/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a reader takes the names in a draft. */
#ifndef DRAFT_NAMES_H
#define DRAFT_NAMES_H

#include "archive/draft.h"

/* CUBINET_ERROR_INVALID_ARGUMENT for a module whose name, or a name of what is in it, is not text. Images
 * that others made may have any bytes there. */
cubinet_status draft_names_check(const struct draft_module *module);

#endif
