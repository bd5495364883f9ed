/* SPDX-License-Identifier: Apache-2.0 */
/* Keys: docs/cache.md, "Keys". */
#include "cache_key.h"

#include "cache_entry.h"
#include "error.h"
#include "format.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELD_BYTES = 1, FIELD_TEXT = 2, FIELD_U64 = 3, FIELD_NO_TEXT = 4 };

/* Room for most keys, so that one allocation does. */
enum { FIRST_CAPACITY = 512 };

static bool grow(struct cbn_cache_key *key, size_t size)
{
    size_t capacity = key->capacity ? key->capacity : FIRST_CAPACITY;
    while (capacity - key->size < size) {
        if (capacity > SIZE_MAX / 2) {
            return false;
        }
        capacity *= 2;
    }
    unsigned char *bytes = realloc(key->bytes, capacity);
    if (!bytes) {
        return false;
    }
    key->bytes = bytes;
    key->capacity = capacity;
    return true;
}

static void append(struct cbn_cache_key *key, const void *bytes, size_t size)
{
    if (key->failed || size == 0) {
        return;
    }
    if (key->capacity - key->size < size && !grow(key, size)) {
        key->failed = true;
        return;
    }
    memcpy(key->bytes + key->size, bytes, size);
    key->size += size;
}

static void append_size(struct cbn_cache_key *key, uint64_t size)
{
    unsigned char bytes[8];
    cbn_put64(bytes, size);
    append(key, bytes, sizeof(bytes));
}

static void add(struct cbn_cache_key *key, const char *name, unsigned char type, const void *bytes,
                size_t size)
{
    size_t name_size = strlen(name);
    append(key, &type, 1);
    append_size(key, name_size);
    append(key, name, name_size);
    append_size(key, size);
    append(key, bytes, size);
}

void cbn_cache_key_start(struct cbn_cache_key *key, const char *kind)
{
    *key = (struct cbn_cache_key){0};
    assert(cbn_cache_kind_valid(kind));
    snprintf(key->kind, sizeof(key->kind), "%s", kind);
    cbn_cache_key_add_u64(key, "entry version", CBN_CACHE_ENTRY_VERSION);
    cbn_cache_key_add_text(key, "kind", kind);
}

void cbn_cache_key_add_bytes(struct cbn_cache_key *key, const char *name, const void *bytes, size_t size)
{
    add(key, name, FIELD_BYTES, bytes, size);
}

void cbn_cache_key_add_text(struct cbn_cache_key *key, const char *name, const char *text)
{
    add(key, name, text ? FIELD_TEXT : FIELD_NO_TEXT, text, text ? strlen(text) : 0);
}

void cbn_cache_key_add_u64(struct cbn_cache_key *key, const char *name, uint64_t value)
{
    unsigned char bytes[8];
    cbn_put64(bytes, value);
    add(key, name, FIELD_U64, bytes, sizeof(bytes));
}

cubinet_status cbn_cache_key_finish(struct cbn_cache_key *key)
{
    if (key->failed) {
        return cbn_error_memory();
    }
    key->digest = cbn_digest(key->bytes, key->size);
    return CUBINET_OK;
}

bool cbn_cache_key_equal(const struct cbn_cache_key *a, const struct cbn_cache_key *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

void cbn_cache_key_free(struct cbn_cache_key *key)
{
    free(key->bytes);
    *key = (struct cbn_cache_key){0};
}
