/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of paths, separated by ':', that count from the file of a program or shared library. */
#ifndef CBN_PATH_LIST_H
#define CBN_PATH_LIST_H

#include <cubinet/status.h>

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* The file that an address was loaded from, or of the program for NULL, symbolic links resolved. */
cubinet_status cbn_file_of(const void *address, char out_file[PATH_MAX]);

/* Takes the first path off a list; false if there is none left. An empty list has one path, which is empty.
 * `*list` starts as the list, and is NULL at its end. */
bool cbn_next_path(const char **list, const char **out_path, size_t *out_size);

/* Writes a path of a list as one that does not depend on the working folder: an empty one is the file itself,
 * a relative one counts from the file's folder. False if it is too long. */
bool cbn_path_near(const char *file, const char *path, size_t size, char out_path[PATH_MAX]);

#endif
