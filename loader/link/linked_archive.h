/* SPDX-License-Identifier: Apache-2.0 */
/* What a link makes, as an archive in memory: one module with one image, the cubin, and everything that is
 * known of its kernels. Linked code is then loaded, launched and asked about as any other; and it is what
 * caches keep. */
#ifndef CBN_LINKED_ARCHIVE_H
#define CBN_LINKED_ARCHIVE_H

#include "loader/link/read_cubin.h"

struct cbn_linked {
    const char *module; /* the name of its module */
    const unsigned char *data;
    size_t size;
    cubinet_target target;
    const struct cbn_cubin *cubin; /* what was read of it */
    /* The expression that a kernel or a global is called by, or NULL. */
    const char *(*find_expression)(const void *user, const char *name, bool is_kernel);
    const void *user;
};

/* Makes the archive's bytes, which the caller frees. It has no zip directory: no file is made of it. */
cubinet_status cbn_linked_archive_make(const struct cbn_linked *linked, void **out_data, size_t *out_size);

#endif
