/* SPDX-License-Identifier: Apache-2.0 */
/* Files that lie beside one that describes them. */
#ifndef IMPORT_BESIDE_H
#define IMPORT_BESIDE_H

#include <cubinet/status.h>

/* Calls `take` for each file in the folder of `path`, in the order of their names, with its name and its
 * path, until one fails. */
cubinet_status import_beside(const char *path,
                             cubinet_status (*take)(void *user, const char *name, const char *path),
                             void *user);

/* The path of a file beside another, which the caller frees; NULL if memory is out. */
char *import_beside_path(const char *path, const char *name);

#endif
