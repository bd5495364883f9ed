/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of paths. */
#ifndef PATH_H
#define PATH_H

#include <stdbool.h>
#include <stddef.h>

/* A file's name without folders. */
const char *path_name(const char *path);

/* How much of such a name is left without its suffix. What starts with its only dot has none. */
size_t path_stem_size(const char *name);

/* A file's name without folders and suffix, which the caller frees; NULL if memory is out. */
char *path_stem(const char *path);

/* A path with another suffix, or with one if it has none; the caller frees it; NULL if memory is out. */
char *path_with_suffix(const char *path, const char *suffix);

/* Whether a file's name is that of a shared library with its version, "libm.so.6" or "libm.so.6.0.1". */
bool path_is_versioned(const char *name);

#endif
