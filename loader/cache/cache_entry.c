/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/cache/cache_entry.h"

#include "loader/core/archive/digest.h"
#include "loader/core/archive/format.h"

#include <stdlib.h>
#include <string.h>

static const char hex[] = "0123456789abcdef";
static const char kind_characters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";

bool cbn_cache_kind_valid(const char *kind)
{
    size_t length = strspn(kind, kind_characters);
    return length > 0 && length < CBN_CACHE_KIND_SIZE && kind[length] == '\0';
}

const char *cbn_cache_entry_name(const struct cbn_cache_key *key, char name[CBN_CACHE_NAME_SIZE])
{
    char *end = name;
    for (size_t i = 0; i < sizeof(key->digest.bytes); i++) {
        *end++ = hex[key->digest.bytes[i] >> 4];
        *end++ = hex[key->digest.bytes[i] & 15];
    }
    *end++ = '.';
    memcpy(end, key->kind, strlen(key->kind) + 1);
    return name;
}

bool cbn_cache_entry_named(const char *name)
{
    return strspn(name, hex) == CBN_CACHE_DIGITS && name[CBN_CACHE_DIGITS] == '.' &&
           cbn_cache_kind_valid(name + CBN_CACHE_DIGITS + 1);
}

static size_t payload_offset(size_t key_size)
{
    size_t end = CBN_CACHE_ENTRY_KEY + key_size;
    return (end + CBN_CACHE_ENTRY_ALIGNMENT - 1) / CBN_CACHE_ENTRY_ALIGNMENT * CBN_CACHE_ENTRY_ALIGNMENT;
}

const char *cbn_cache_entry_read(const unsigned char *bytes, size_t size, struct cbn_cache_entry *out_entry)
{
    if (size < CBN_CACHE_ENTRY_KEY || memcmp(bytes, CBN_CACHE_MAGIC, CBN_CACHE_ENTRY_DIGEST) != 0) {
        return "it is not a cache entry";
    }
    if (!cbn_digest_matches(bytes + CBN_CACHE_ENTRY_FORMAT, size - CBN_CACHE_ENTRY_FORMAT,
                            bytes + CBN_CACHE_ENTRY_DIGEST)) {
        return "it does not have the digest that it promises";
    }
    if (cbn_get16(bytes + CBN_CACHE_ENTRY_FORMAT) != CBN_CACHE_ENTRY_VERSION ||
        cbn_get16(bytes + CBN_CACHE_ENTRY_ZERO) != 0) {
        return "it is of a version that this one does not know";
    }
    size_t key_size = cbn_get32(bytes + CBN_CACHE_ENTRY_KEY_SIZE);
    uint64_t payload_size = cbn_get64(bytes + CBN_CACHE_ENTRY_PAYLOAD_SIZE);
    size_t start = payload_offset(key_size);
    if (start > size || payload_size != size - start) {
        return "its sizes contradict its file's";
    }
    out_entry->key = bytes + CBN_CACHE_ENTRY_KEY;
    out_entry->key_size = key_size;
    out_entry->payload = bytes + start;
    out_entry->payload_size = size - start;
    return NULL;
}

unsigned char *cbn_cache_entry_head(const struct cbn_cache_key *key, const void *payload, size_t payload_size,
                                    size_t *out_size)
{
    if (key->size > UINT32_MAX || payload_size > CBN_CACHE_ENTRY_MAX - payload_offset(key->size)) {
        return NULL;
    }
    size_t size = payload_offset(key->size);
    unsigned char *head = calloc(1, size);
    if (!head) {
        return NULL;
    }
    memcpy(head, CBN_CACHE_MAGIC, CBN_CACHE_ENTRY_DIGEST);
    cbn_put16(head + CBN_CACHE_ENTRY_FORMAT, CBN_CACHE_ENTRY_VERSION);
    cbn_put32(head + CBN_CACHE_ENTRY_KEY_SIZE, (uint32_t)key->size);
    cbn_put64(head + CBN_CACHE_ENTRY_PAYLOAD_SIZE, payload_size);
    memcpy(head + CBN_CACHE_ENTRY_KEY, key->bytes, key->size);
    struct cbn_digest digest =
        cbn_digest_two(head + CBN_CACHE_ENTRY_FORMAT, size - CBN_CACHE_ENTRY_FORMAT, payload, payload_size);
    memcpy(head + CBN_CACHE_ENTRY_DIGEST, digest.bytes, sizeof(digest.bytes));
    *out_size = size;
    return head;
}
