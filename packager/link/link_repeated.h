/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that several pieces define, which nvJitLink tells in its own words. */
#ifndef LINK_REPEATED_H
#define LINK_REPEATED_H

#include "link/link_inputs.h"

/* After a link that failed with `status`: if nvJitLink refused a symbol that is defined twice, makes it the
 * thread's message, with the modules that define it. Returns `status`. */
cubinet_status link_repeated_explain(cubinet_status status, const struct link_inputs *pieces);

#endif
