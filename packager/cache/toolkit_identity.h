/* SPDX-License-Identifier: Apache-2.0 */
/* Which builds of NVIDIA's compilers a toolkit has, told without opening them as libraries: two that call
 * themselves 13.0 may differ, and copies of one build are the same wherever they lie. */
#ifndef TOOLKIT_IDENTITY_H
#define TOOLKIT_IDENTITY_H

#include "cache/file_digests.h"
#include "loader/cache/cache_key.h"
#include "toolkit/toolkit.h"

/* Adds a field for each of the toolkit's parts that has a say in what comes out: NVRTC, its builtins,
 * nvJitLink, ptxas if it assembles, the device runtime, and the paths of the header folders, whose contents
 * are the inputs' matter. False if one of them can't be read. */
bool toolkit_identity_add(const struct toolkit *toolkit, const struct cbn_file_digests *digests,
                          struct cbn_cache_key *key);

#endif
