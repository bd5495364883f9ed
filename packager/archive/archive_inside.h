/* SPDX-License-Identifier: Apache-2.0 */
/* Programs and libraries that have an archive inside. */
#ifndef ARCHIVE_INSIDE_H
#define ARCHIVE_INSIDE_H

#include <stdbool.h>

/* Whether a file is one, if only with a damaged archive. */
bool archive_inside(const char *path);

#endif
