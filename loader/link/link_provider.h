/* SPDX-License-Identifier: Apache-2.0 */
/* Which modules of an archive define a symbol. */
#ifndef CBN_LINK_PROVIDER_H
#define CBN_LINK_PROVIDER_H

#include "loader/link/link_plan.h"

#include <stdbool.h>

/* Whether a piece of the plan is that module. */
bool cbn_link_has_module(const struct cbn_link_plan *plan, const cubinet_archive *archive, uint32_t module);

/* Whether an image of the module defines the symbol. */
bool cbn_link_defines(const cubinet_archive *archive, uint32_t module, uint32_t image, const char *name,
                      bool *out_weak);

const char *cbn_link_module_name(const cubinet_archive *archive, uint32_t module);

/* The module of the archive, other than the plan's own, with an image for the target that defines the symbol;
 * NULL if there is none. */
const char *cbn_link_find_provider(const struct cbn_link_plan *plan, const cubinet_archive *archive,
                                   const char *symbol);

#endif
