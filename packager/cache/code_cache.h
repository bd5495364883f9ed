/* SPDX-License-Identifier: Apache-2.0 */
/* Machine code from the cache (docs/reference/cache.md, "Machine code"): what assembling the same PTX gave,
 * for compiles whose sources differ in what leaves no trace there. */
#ifndef CODE_CACHE_H
#define CODE_CACHE_H

#include "cache/compile_cache.h"
#include "toolkit/assemble.h"

/* A kind of entries. */
#define CODE_CACHE_KIND "code"

struct code_cache {
    struct compile_cache *compile; /* whose folders it shares */
    struct cbn_text_list files;    /* that options for ptxas name */
    struct assemble_store store;   /* for jobs */
};

/* Opens it as a part of a compile's cache, which must outlive it. Without that, or where the assembler may
 * read what the options don't tell, nothing is found or kept: then code_cache_store() is NULL. The caller
 * closes it. */
void code_cache_open(struct compile_cache *compile, struct code_cache *out_cache);
const struct assemble_store *code_cache_store(const struct code_cache *cache);
void code_cache_close(struct code_cache *cache);

#endif
