/* SPDX-License-Identifier: Apache-2.0 */
/* Where nvJitLinks lie. */
#ifndef CBN_LINKER_SEARCH_H
#define CBN_LINKER_SEARCH_H

#include "loader/core/support/text_list.h"

#include <cubinet/status.h>

/* Lists the files there are, in the order of docs/guide/linking.md, and appends to `attempts` where there was
 * none. Only where no folder has one the dynamic loader is asked, which opens what it finds. */
cubinet_status cbn_linker_search(struct cbn_text_list *out_paths, struct cbn_text_list *attempts);

#endif
