/* SPDX-License-Identifier: Apache-2.0 */
/* One text of PTX out of several that have nothing in common: of one target, with different kernels. */
#ifndef PTX_MERGE_H
#define PTX_MERGE_H

#include <cubinet/status.h>

#include <stddef.h>

struct ptx_piece {
    const char *text; /* need not end in a NUL */
    size_t size;
    const char *origin; /* the file, for the reason */
};

/* Puts the statements of all pieces into one text, under the newest .version of them. Declarations that some
 * have alike, of dynamic shared memory and of functions from elsewhere, are kept once. Where a name is in two
 * otherwise, or targets differ, or there is debug information, textures or anything that would have to be
 * linked, *out_text is NULL, and *out_reason says why. The caller frees both. */
cubinet_status ptx_merge(const struct ptx_piece *pieces, size_t count, char **out_text, size_t *out_size,
                         char **out_reason);

#endif
