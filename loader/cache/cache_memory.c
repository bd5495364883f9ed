/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/cache/cache_memory.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BUCKETS = 64 };

struct cbn_memory_entry {
    struct cbn_memory_entry *next; /* in the same bucket */
    struct cbn_memory_entry *older;
    struct cbn_memory_entry *newer;
    struct cbn_blob *blob;
    uint64_t hash;
    size_t key_size;
    unsigned char key[];
};

static uint64_t hash_of(const struct cbn_cache_key *key)
{
    uint64_t hash;
    memcpy(&hash, key->digest.bytes, sizeof(hash));
    return hash;
}

static uint64_t cost(const struct cbn_memory_entry *entry)
{
    return sizeof(*entry) + entry->key_size + entry->blob->size;
}

static struct cbn_memory_entry **bucket_of(const struct cbn_cache_memory *memory, uint64_t hash)
{
    return &memory->buckets[hash & (memory->bucket_count - 1)];
}

static struct cbn_memory_entry *find(const struct cbn_cache_memory *memory, const struct cbn_cache_key *key)
{
    uint64_t hash = hash_of(key);
    struct cbn_memory_entry *entry = memory->bucket_count ? *bucket_of(memory, hash) : NULL;
    while (entry && (entry->hash != hash || entry->key_size != key->size ||
                     memcmp(entry->key, key->bytes, key->size) != 0)) {
        entry = entry->next;
    }
    return entry;
}

static void push_newest(struct cbn_cache_memory *memory, struct cbn_memory_entry *entry)
{
    entry->newer = NULL;
    entry->older = memory->newest;
    *(memory->newest ? &memory->newest->newer : &memory->oldest) = entry;
    memory->newest = entry;
}

static void unlink_age(struct cbn_cache_memory *memory, struct cbn_memory_entry *entry)
{
    *(entry->newer ? &entry->newer->older : &memory->newest) = entry->older;
    *(entry->older ? &entry->older->newer : &memory->oldest) = entry->newer;
}

static void remove_entry(struct cbn_cache_memory *memory, struct cbn_memory_entry *entry)
{
    struct cbn_memory_entry **link = bucket_of(memory, entry->hash);
    while (*link != entry) {
        link = &(*link)->next;
    }
    *link = entry->next;
    unlink_age(memory, entry);
    memory->bytes -= cost(entry);
    memory->count--;
    cbn_blob_release(entry->blob);
    free(entry);
}

/* Makes room for one more; false if there is no memory even for the first buckets. */
static bool grow(struct cbn_cache_memory *memory)
{
    if (memory->count < memory->bucket_count) {
        return true;
    }
    size_t count = memory->bucket_count ? 2 * memory->bucket_count : FIRST_BUCKETS;
    struct cbn_memory_entry **buckets = calloc(count, sizeof(struct cbn_memory_entry *));
    if (!buckets) {
        return memory->bucket_count > 0; /* it goes on, with longer chains */
    }
    free(memory->buckets);
    memory->buckets = buckets;
    memory->bucket_count = count;
    for (struct cbn_memory_entry *entry = memory->newest; entry; entry = entry->older) {
        struct cbn_memory_entry **bucket = bucket_of(memory, entry->hash);
        entry->next = *bucket;
        *bucket = entry;
    }
    return true;
}

struct cbn_blob *cbn_memory_find(struct cbn_cache_memory *memory, const struct cbn_cache_key *key)
{
    struct cbn_memory_entry *entry = find(memory, key);
    if (!entry) {
        return NULL;
    }
    if (entry != memory->newest) {
        unlink_age(memory, entry);
        push_newest(memory, entry);
    }
    return cbn_blob_share(entry->blob);
}

void cbn_memory_add(struct cbn_cache_memory *memory, const struct cbn_cache_key *key, struct cbn_blob *blob)
{
    if (sizeof(struct cbn_memory_entry) + key->size + blob->size > memory->limit || find(memory, key) ||
        !grow(memory)) {
        return;
    }
    struct cbn_memory_entry *entry = malloc(sizeof(*entry) + key->size);
    if (!entry) {
        return;
    }
    entry->blob = cbn_blob_share(blob);
    entry->hash = hash_of(key);
    entry->key_size = key->size;
    memcpy(entry->key, key->bytes, key->size);
    struct cbn_memory_entry **bucket = bucket_of(memory, entry->hash);
    entry->next = *bucket;
    *bucket = entry;
    push_newest(memory, entry);
    memory->bytes += cost(entry);
    memory->count++;
    while (memory->bytes > memory->limit) {
        remove_entry(memory, memory->oldest);
    }
}

void cbn_memory_clear(struct cbn_cache_memory *memory)
{
    while (memory->oldest) {
        remove_entry(memory, memory->oldest);
    }
    free(memory->buckets);
    memory->buckets = NULL;
    memory->bucket_count = 0;
}
