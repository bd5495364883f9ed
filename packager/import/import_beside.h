/* SPDX-License-Identifier: Apache-2.0 */
/* Files that lie beside one that describes them. */
#ifndef IMPORT_BESIDE_H
#define IMPORT_BESIDE_H

#include <cubinet/status.h>

#include <stddef.h>

/* Names of the files of a folder, in order; zero-initialise to start. A folder may have thousands of
 * descriptions, so it is read once for all that follow one another. */
struct import_beside {
    char *folder;
    struct dirent **files;
    size_t count;
};

void import_beside_free(struct import_beside *beside);

/* Calls `take` for each file in the folder of `path` whose name starts with the `size` bytes at `prefix`, in
 * the order of their names, with its name and its path, until one fails. */
cubinet_status import_beside(struct import_beside *beside, const char *path, const char *prefix, size_t size,
                             cubinet_status (*take)(void *user, const char *name, const char *path),
                             void *user);

/* The path of a file beside another, which the caller frees; NULL if memory is out. */
char *import_beside_path(const char *path, const char *name);

#endif
