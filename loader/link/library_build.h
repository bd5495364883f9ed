/* SPDX-License-Identifier: Apache-2.0 */
/* Which build of nvJitLink a file is, told from a few kilobytes of it: opening it takes milliseconds, and a
 * link that a cache has does not need it open. */
#ifndef CBN_LIBRARY_BUILD_H
#define CBN_LIBRARY_BUILD_H

#include "loader/core/support/sha256.h"

#include <stdbool.h>
#include <stdint.h>

struct cbn_library_build {
    /* Of its build-id, which the linker that made it put there, or else of the whole file. Equal for copies
     * of one build, wherever they lie. */
    struct cbn_sha256 identity;
    /* The newest release whose functions it exports (as __nvJitLinkCreate_13_0), as CUDA_VERSION; 0 if it
     * exports none. */
    uint32_t release;
};

/* False, and errno set, if the file can't be read or is not a shared library (ENOEXEC). */
bool cbn_library_build_read(const char *path, struct cbn_library_build *out_build);

/* The identity alone, which takes less reading. */
bool cbn_library_identity_read(const char *path, struct cbn_sha256 *out_identity);

#endif
