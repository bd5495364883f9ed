/* SPDX-License-Identifier: Apache-2.0 */
/* Variables in PTX that are only there because a compiler met them. */
#ifndef PTX_UNLISTED_H
#define PTX_UNLISTED_H

#include "image/contents.h"

/* Drops of the contents of this PTX the instances and members of templates that neither code nor an initial
 * value names: see cubin_globals.h. */
cubinet_status ptx_drop_unlisted(const char *text, size_t size, struct contents *contents);

#endif
