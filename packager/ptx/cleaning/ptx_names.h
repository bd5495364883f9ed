/* SPDX-License-Identifier: Apache-2.0 */
/* Making the names of internal-linkage things independent of the process that compiled them.
 *
 * Where NVRTC finds no external name in a source to derive one from, it puts things of internal linkage into
 * a namespace whose mangled name ends with a checksum (of the working folder and the source's time of
 * modification) and the process id:
 *
 *     44_INTERNAL_00000000_9_segsum_cu_bc263633_3091
 *     46_GLOBAL__N__00000000_9_segsum_cu_bc263633_3091
 *
 * The number in front is the length of what follows, as C++ mangling has it; the one before the file's name
 * is that name's length. */
#ifndef PTX_NAMES_H
#define PTX_NAMES_H

#include "base/buffer.h"

/* What takes the place of the checksum and the process id. */
enum { PTX_NAME_TAIL_SIZE = 16 };
struct ptx_name_tail {
    char text[PTX_NAME_TAIL_SIZE + 1]; /* as "bc263633_1003091": always seven digits */
};

struct ptx_name_tail ptx_name_tail(const char *identity);

/* Appends the text with each such name ending in `tail`. */
void ptx_append_stable(const char *text, size_t size, const struct ptx_name_tail *tail, struct buffer *out);

/* Whether there is such a name in the text. out_same_size: whether putting the tail in leaves all their sizes
 * as they are */
bool ptx_has_unstable(const char *text, size_t size, bool *out_same_size);

#endif
