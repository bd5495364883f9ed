/* SPDX-License-Identifier: Apache-2.0 */
/* The key of a cache entry: everything that decides what the entry holds.
 *
 * A key is a list of named fields, each with its length before it, so that no two lists have the same bytes
 * (docs/reference/cache.md, "Keys"). The whole key is stored in the entry and compared; its digest only names
 * the file.
 *
 *     struct cbn_cache_key key;
 *     cbn_cache_key_start(&key, "link");
 *     cbn_cache_key_add_bytes(&key, "piece", digest.bytes, sizeof(digest.bytes)); // and so for each piece
 *     cbn_cache_key_add_text(&key, "arch", "sm_90a");
 *     cubinet_status status = cbn_cache_key_finish(&key);
 *     if (!status) { ... cbn_cache_obtain(cache, &key, ...) ... }
 *     cbn_cache_key_free(&key);
 */
#ifndef CBN_CACHE_KEY_H
#define CBN_CACHE_KEY_H

#include "loader/core/archive/digest.h"

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CBN_CACHE_KIND_SIZE = 16 }; /* with the NUL */

struct cbn_cache_key {
    char kind[CBN_CACHE_KIND_SIZE];
    unsigned char *bytes;
    size_t size;
    size_t capacity;
    bool failed; /* a field found no memory: cbn_cache_key_finish() says so */
    struct cbn_digest digest;
};

/* Starts a key. `kind` is what the cache is used for: 1 to 15 lower-case letters, digits and dashes. The
 * version of entries and the kind are the first fields, so different ones never meet. */
void cbn_cache_key_start(struct cbn_cache_key *key, const char *kind);

/* Appends a field. Names are for people who look for the difference between two keys; the same one may come
 * several times. Fields of different types differ, whatever they hold; so do a text that is NULL and "". */
void cbn_cache_key_add_bytes(struct cbn_cache_key *key, const char *name, const void *bytes, size_t size);
void cbn_cache_key_add_text(struct cbn_cache_key *key, const char *name, const char *text);
void cbn_cache_key_add_u64(struct cbn_cache_key *key, const char *name, uint64_t value);

/* After the last field. CUBINET_ERROR_OUT_OF_MEMORY if one was lost. */
cubinet_status cbn_cache_key_finish(struct cbn_cache_key *key);

/* A field of a key's bytes, into which it points. */
struct cbn_cache_field {
    const char *name; /* not NUL-terminated */
    size_t name_size;
    const unsigned char *value;
    size_t value_size;
    enum {
        CBN_CACHE_FIELD_BYTES = 1,
        CBN_CACHE_FIELD_TEXT,
        CBN_CACHE_FIELD_U64,
        CBN_CACHE_FIELD_NO_TEXT
    } type;
};

/* Reads the field at `*at`, 0 for the first, and moves on to the next. False after the last one, and where
 * the bytes are not a field. */
bool cbn_cache_key_next(const unsigned char *bytes, size_t size, size_t *at,
                        struct cbn_cache_field *out_field);

bool cbn_cache_key_equal(const struct cbn_cache_key *a, const struct cbn_cache_key *b);
void cbn_cache_key_free(struct cbn_cache_key *key);

#endif
