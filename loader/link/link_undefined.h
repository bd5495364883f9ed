/* SPDX-License-Identifier: Apache-2.0 */
/* What to say of symbols that a link lacks. */
#ifndef CBN_LINK_UNDEFINED_H
#define CBN_LINK_UNDEFINED_H

#include "loader/link/link_plan.h"

/* Appends to the thread's message, a line for each symbol that a piece needs and none is known to define: its
 * readable name, who needs it, and who defines it or another function of its name. */
void cbn_link_explain_undefined(const struct cbn_link_plan *plan, cubinet_status status);

/* Appends who defines the missing symbol, or another function of its name, if anything does. */
void cbn_link_hint_at(const struct cbn_link_plan *plan, cubinet_status status, const char *missing);

#endif
