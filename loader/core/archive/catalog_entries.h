/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of a catalog: every archive along a path, opened, or why not. */
#ifndef CBN_CATALOG_ENTRIES_H
#define CBN_CATALOG_ENTRIES_H

#include <cubinet/archive.h>

#include <stddef.h>

struct cbn_catalog_entry {
    char *path;
    cubinet_archive *archive; /* NULL: left out, for this reason: */
    cubinet_status status;
    char *reason; /* NULL: none */
};

/* Zero-initialise to start. */
struct cbn_catalog_entries {
    struct cbn_catalog_entry *items;
    size_t count;
    size_t capacity;
};

/* Adds what lies at the paths of a list: archives, and those in folders. Relative paths count from the folder
 * of `file`, and an empty one is that file; with NULL from the working folder, and empty ones are passed
 * over.
 *
 * Archives that cannot be opened are entries, too; CUBINET_ERROR_OUT_OF_MEMORY and
 * CUBINET_ERROR_INVALID_ARGUMENT are failures that no other archive would mend. */
cubinet_status cbn_catalog_entries_add(struct cbn_catalog_entries *entries, const char *paths,
                                       const char *file, const cubinet_archive_options *options);

void cbn_catalog_entries_free(struct cbn_catalog_entries *entries);

#endif
