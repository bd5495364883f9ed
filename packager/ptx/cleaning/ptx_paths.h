/* SPDX-License-Identifier: Apache-2.0 */
/* Mapping the paths of source files that PTX names. */
#ifndef PTX_PATHS_H
#define PTX_PATHS_H

#include "base/buffer.h"
#include "ptx/cleaning/ptx_clean.h"

/* Appends the text with the path of each .file directive mapped by the first map whose `from` it starts with;
 * paths are compared as they are, without the escapes of the PTX string. The time and size of the file, which
 * may follow a path, go when it is mapped: they belong to a file of this machine. */
void ptx_map_paths(const char *text, size_t size, const struct ptx_path_map *maps, size_t map_count,
                   struct buffer *out);

#endif
