/* SPDX-License-Identifier: Apache-2.0 */
/* An entry's file: its name, and its bytes, which describe and digest themselves (docs/reference/cache.md,
 * "Entries").
 */
#ifndef CBN_CACHE_ENTRY_H
#define CBN_CACHE_ENTRY_H

#include "loader/cache/cache_key.h"

#include <stdbool.h>
#include <stddef.h>

#define CBN_CACHE_MAGIC                                                                                      \
    "\x89"                                                                                                   \
    "CBNC\r\n\x1a"

enum {
    CBN_CACHE_ENTRY_VERSION = 1,

    /* Offsets. */
    CBN_CACHE_ENTRY_DIGEST = 8, /* of everything after it */
    CBN_CACHE_ENTRY_FORMAT = 24,
    CBN_CACHE_ENTRY_ZERO = 26,
    CBN_CACHE_ENTRY_KEY_SIZE = 28,
    CBN_CACHE_ENTRY_PAYLOAD_SIZE = 32,
    CBN_CACHE_ENTRY_KEY = 40,

    CBN_CACHE_ENTRY_ALIGNMENT = 16, /* of the payload */
    CBN_CACHE_DIGITS = 32,          /* of a name: the key's digest */
    CBN_CACHE_NAME_SIZE = CBN_CACHE_DIGITS + 1 + CBN_CACHE_KIND_SIZE,
};

/* No entry is larger: a limit to what is allocated before a file is checked. */
#define CBN_CACHE_ENTRY_MAX ((uint64_t)1 << 32)

struct cbn_cache_entry {
    const unsigned char *key;
    size_t key_size;
    const unsigned char *payload;
    size_t payload_size;
};

/* Whether an entry's name may end so: 1 to 15 lower-case letters, digits and dashes. */
bool cbn_cache_kind_valid(const char *kind);

/* The name of the key's file: the digest in hexadecimal digits, a dot, the kind. */
const char *cbn_cache_entry_name(const struct cbn_cache_key *key, char name[CBN_CACHE_NAME_SIZE]);

/* Whether a file of that name is an entry. */
bool cbn_cache_entry_named(const char *name);

/* Reads an entry from a file's bytes. NULL, or what is wrong with them. `out_entry` points into them. */
const char *cbn_cache_entry_read(const unsigned char *bytes, size_t size, struct cbn_cache_entry *out_entry);

/* What comes before the payload in the file, which the caller frees; NULL if there is no memory for it or the
 * entry would be too large. */
unsigned char *cbn_cache_entry_head(const struct cbn_cache_key *key, const void *payload, size_t payload_size,
                                    size_t *out_size);

#endif
