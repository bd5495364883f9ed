/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles from the cache (docs/reference/cache.md, "Compiles"): what another compile made of the same,
 * wherever and whenever it ran, in place of running the compilers, which are not even opened. */
#ifndef COMPILE_CACHE_H
#define COMPILE_CACHE_H

#include "cache/command_cache.h"
#include "cache/compile_cache_key.h"
#include "cache/compile_manifest.h"
#include "compile/compile_result.h"
#include "loader/cache/cache_find.h"

struct compile_cache {
    struct command_cache command;
    struct cbn_file_digests digests;
    const struct compile_cache_request *request;
    struct cbn_cache_key key; /* the first one */
    struct cbn_sha256 source;
    struct cbn_cache_claim claim;
    bool is_open;
    cubinet_status problem; /* why it is not, although there may be one; the thread's message tells more */
};

/* Opens the cache for one compile, if its arguments and the environment name one and what the compile makes
 * can be kept. `request` must outlive it. */
void compile_cache_open(const struct compile_cache_request *request, struct compile_cache *out_cache);

/* What a compile made that read what this one would read. The caller frees it. */
struct compile_found {
    struct inputs inputs; /* with the sizes and times of the toolkit's files as they are now */
    struct compile_result result;
    char *bytes; /* that the result lies in */
};

/* Looks for it. If there is none, other processes that look for the same wait until the cache is closed; if
 * they have come first, this one does. */
bool compile_cache_find(struct compile_cache *cache, struct compile_found *out_found);
void compile_found_free(struct compile_found *found);

/* The same, and neither waits nor counts nor copies anything. */
bool compile_cache_look(struct compile_cache *cache, struct compile_found *out_found);

/* The manifest of the first key in one layer; false if there is none. The caller frees it. */
bool compile_cache_read_manifest(struct compile_cache *cache, enum cbn_cache_source layer,
                                 struct compile_manifest *out_manifest);

/* Keeps what a compile made, if that is certain to be what these inputs give. */
void compile_cache_keep(struct compile_cache *cache, struct inputs *inputs,
                        const struct compile_result *result);

/* Counts a compile that failed. */
void compile_cache_note_failure(struct compile_cache *cache);

/* One that could not be opened is allowed, as in the other functions: then nothing is found or kept. */
void compile_cache_close(struct compile_cache *cache);

#endif
