/* SPDX-License-Identifier: Apache-2.0 */
/* Keys: docs/reference/cache.md, "Keys". */
#include "loader/cache/cache_key.h"

#include "loader/cache/cache_entry.h"
#include "loader/core/archive/format.h"
#include "loader/core/support/error.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Room for most keys, so that one allocation does, and below what glibc tidies its heap for. */
enum { FIRST_CAPACITY = 960 };

/* Room for `size` bytes more; NULL if there is no memory. */
static unsigned char *reserve(struct cbn_cache_key *key, size_t size)
{
    size_t capacity = key->capacity ? key->capacity : FIRST_CAPACITY;
    while (capacity - key->size < size) {
        if (capacity > SIZE_MAX / 2) {
            return NULL;
        }
        capacity *= 2;
    }
    if (capacity > key->capacity) {
        unsigned char *bytes = realloc(key->bytes, capacity);
        if (!bytes) {
            return NULL;
        }
        key->bytes = bytes;
        key->capacity = capacity;
    }
    return key->bytes + key->size;
}

/* Of a field that holds nothing. */
enum { FIELD_OVERHEAD = 1 + 8 + 8 };

static void add(struct cbn_cache_key *key, const char *name, unsigned char type, const void *bytes,
                size_t size)
{
    size_t name_size = strlen(name);
    size_t whole = FIELD_OVERHEAD + name_size + size;
    unsigned char *next = key->failed || whole < size ? NULL : reserve(key, whole);
    if (!next) {
        key->failed = true;
        return;
    }
    *next = type;
    cbn_put64(next + 1, name_size);
    memcpy(next + 9, name, name_size);
    cbn_put64(next + 9 + name_size, size);
    if (size) {
        memcpy(next + FIELD_OVERHEAD + name_size, bytes, size);
    }
    key->size += whole;
}

void cbn_cache_key_start(struct cbn_cache_key *key, const char *kind)
{
    *key = (struct cbn_cache_key){0};
    assert(cbn_cache_kind_valid(kind));
    strncpy(key->kind, kind, sizeof(key->kind) - 1);
    cbn_cache_key_add_u64(key, "entry version", CBN_CACHE_ENTRY_VERSION);
    cbn_cache_key_add_text(key, "kind", kind);
}

void cbn_cache_key_add_bytes(struct cbn_cache_key *key, const char *name, const void *bytes, size_t size)
{
    add(key, name, CBN_CACHE_FIELD_BYTES, bytes, size);
}

void cbn_cache_key_add_text(struct cbn_cache_key *key, const char *name, const char *text)
{
    add(key, name, text ? CBN_CACHE_FIELD_TEXT : CBN_CACHE_FIELD_NO_TEXT, text, text ? strlen(text) : 0);
}

void cbn_cache_key_add_u64(struct cbn_cache_key *key, const char *name, uint64_t value)
{
    unsigned char bytes[8];
    cbn_put64(bytes, value);
    add(key, name, CBN_CACHE_FIELD_U64, bytes, sizeof(bytes));
}

cubinet_status cbn_cache_key_finish(struct cbn_cache_key *key)
{
    if (key->failed) {
        return cbn_error_memory();
    }
    key->digest = cbn_digest(key->bytes, key->size);
    return CUBINET_OK;
}

/* Takes a size of 8 bytes and as many bytes after it. */
static bool take_sized(const unsigned char *bytes, size_t size, size_t *at, const unsigned char **out_start,
                       size_t *out_size)
{
    if (size - *at < 8 || cbn_get64(bytes + *at) > size - *at - 8) {
        return false;
    }
    *out_size = (size_t)cbn_get64(bytes + *at);
    *out_start = bytes + *at + 8;
    *at += 8 + *out_size;
    return true;
}

bool cbn_cache_key_next(const unsigned char *bytes, size_t size, size_t *at,
                        struct cbn_cache_field *out_field)
{
    struct cbn_cache_field field = {0};
    const unsigned char *name = NULL;
    size_t next = *at + 1;
    if (*at >= size || bytes[*at] < CBN_CACHE_FIELD_BYTES || bytes[*at] > CBN_CACHE_FIELD_NO_TEXT ||
        !take_sized(bytes, size, &next, &name, &field.name_size) ||
        !take_sized(bytes, size, &next, &field.value, &field.value_size)) {
        return false;
    }
    field.type = bytes[*at];
    field.name = (const char *)name;
    *out_field = field;
    *at = next;
    return true;
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
