/* SPDX-License-Identifier: Apache-2.0 */
/* Making folders. */
#ifndef FOLDER_H
#define FOLDER_H

#include <cubinet/status.h>

#include <stdbool.h>

/* Whether there is a folder at a path. */
bool folder_is(const char *path);

/* Makes a folder in one that exists; it is not an error if the folder exists already. */
cubinet_status folder_make(const char *path);

/* Makes a folder and those above it that are not there. */
cubinet_status folder_make_all(const char *path);

#endif
