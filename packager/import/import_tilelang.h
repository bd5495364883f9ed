/* SPDX-License-Identifier: Apache-2.0 */
/* What TileLang leaves in its cache for each kernel that was compiled: a library with the cubin, the source
 * of its kernels and that of the host's side, which launches them. */
#ifndef IMPORT_TILELANG_H
#define IMPORT_TILELANG_H

#include "import/import_list.h"

/* Adds the library beside a host_kernel.cu, with what that says of launches. *out_is_one: whether it is such
 * a file with a library; if not, nothing is added. */
cubinet_status import_tilelang(const char *path, struct import_list *list, bool *out_is_one);

/* Whether a folder is that in which TileLang keeps the cubins of its libraries a second time. */
bool import_tilelang_is_copy(const char *folder);

#endif
