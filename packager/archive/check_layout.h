/* SPDX-License-Identifier: Apache-2.0 */
/* How the parts of an archive follow each other in its file. */
#ifndef CHECK_LAYOUT_H
#define CHECK_LAYOUT_H

#include "archive/listing.h"
#include "base/problems.h"

#include <stddef.h>

/* Checks that images lie in the order of modules and of their image tables, those with equal bytes once. */
void check_filing(const cubinet_archive *archive, const struct listing *listing, struct problems *problems);

/* Checks of a zip file in memory, whose directory can be read, that its records have nothing that zip does
 * not require, and that there is nothing between them. */
void check_zip_records(const unsigned char *bytes, size_t size, struct problems *problems);

#endif
