/* SPDX-License-Identifier: Apache-2.0 */
/* Warp's build folders: MODULE.meta beside MODULE.sm90.cubin, MODULE.sm75.ptx and the source, MODULE.cu. */
#ifndef IMPORT_WARP_H
#define IMPORT_WARP_H

#include "import/import_list.h"

#include <stdbool.h>

/* Adds the images of the module that a .meta of Warp's describes. *out_is_one is false for any other file;
 * nothing is added then. */
cubinet_status import_warp(const char *path, struct import_list *list, bool *out_is_one);

#endif
