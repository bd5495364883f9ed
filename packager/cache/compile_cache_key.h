/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of cached compiles (docs/reference/cache.md, "Compiles").
 *
 * What a compile reads is known only after it was done. So there are two keys: the first is of everything
 * that is known before, and leads to a manifest of what compiles with that key read; the second is the first
 * and the contents of what one of them read, and leads to what it made. */
#ifndef COMPILE_CACHE_KEY_H
#define COMPILE_CACHE_KEY_H

#include "cache/file_digests.h"
#include "compile/compile_arguments.h"
#include "compile/inputs.h"
#include "loader/cache/cache_key.h"
#include "toolkit/toolkit.h"

/* Kinds of entries. */
#define COMPILE_MANIFEST_KIND "manifest"
#define COMPILE_RESULT_KIND   "compile"

struct compile_cache_request {
    int argc; /* the command line after "compile", expanded */
    char *const *argv;
    const struct compile_arguments *arguments;
    const struct toolkit *toolkit;
    const char *working_folder;
    const char *pretended_folder; /* what the compiler takes for it */
};

/* Makes the first key, and hands over the source's digest, which is in it. False if something that it must
 * hold can't be read; then the compile says what. The caller frees the key in any case. */
bool compile_cache_key(const struct compile_cache_request *request, const struct cbn_file_digests *digests,
                       struct cbn_cache_key *out_key, struct cbn_sha256 *out_source);

/* Whether the first key tells all that the result may hold of folders' names, given what the compile read. */
bool compile_cache_key_covers(const struct compile_cache_request *request, const struct inputs *inputs);

/* Makes the second key. */
bool compile_cache_result_key(const struct cbn_cache_key *first, const struct inputs *inputs,
                              struct cbn_cache_key *out_key);

#endif
