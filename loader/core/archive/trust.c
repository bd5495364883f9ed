/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/archive/trust.h"

#include "loader/core/archive/sodium_table.h"
#include "loader/core/support/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PUBLIC_KEY_SIZE = 32, BASE64_ORIGINAL = 1, STATE_ALIGNMENT = 64, SHOWN_OF_KEY = 8 };

/* minisign's: algorithm, number, key. */
struct public_key {
    unsigned char algorithm[2];
    unsigned char id[CBN_KEY_ID_SIZE];
    unsigned char key[PUBLIC_KEY_SIZE];
};

struct cbn_trust {
    const struct cbn_sodium *sodium;
    size_t count;
    struct public_key keys[];
};

/* The last line of a key's file, or of a text that is that line alone. */
static const char *last_line(const char *text, size_t *out_size)
{
    size_t size = strlen(text);
    while (size > 0 && strchr(" \t\r\n", text[size - 1])) {
        size--;
    }
    size_t start = size;
    while (start > 0 && text[start - 1] != '\n') {
        start--;
    }
    *out_size = size - start;
    return text + start;
}

static cubinet_status read_key(const struct cbn_sodium *sodium, const char *text, struct public_key *out_key)
{
    struct public_key key;
    size_t size = 0;
    size_t decoded = 0;
    const char *end = NULL;
    const char *line = text ? last_line(text, &size) : NULL;
    if (!line ||
        sodium->sodium_base642bin((unsigned char *)&key, sizeof(key), line, size, NULL, &decoded, &end,
                                  BASE64_ORIGINAL) != 0 ||
        end != line + size || decoded != sizeof(key) || memcmp(key.algorithm, "Ed", 2) != 0) {
        /* Not the whole of it: it may be a secret key, given by mistake. */
        return cbn_error(
            CUBINET_ERROR_INVALID_ARGUMENT,
            "'%.*s%s' is not a public key: one is what `cubinet keygen` and minisign write to a .pub "
            "file, 56 characters that start with RW",
            size > SHOWN_OF_KEY ? (int)SHOWN_OF_KEY : (int)size, line ? line : "",
            size > SHOWN_OF_KEY ? "…" : "");
    }
    *out_key = key;
    return CUBINET_OK;
}

static int compare_keys(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct public_key));
}

cubinet_status cbn_trust_create(const char *const *keys, size_t count, struct cbn_trust **out_trust)
{
    struct cbn_trust *trust = calloc(1, sizeof(*trust) + count * sizeof(trust->keys[0]));
    if (!trust) {
        return cbn_error_memory();
    }
    cubinet_status status = cbn_sodium_get(&trust->sodium);
    for (; !status && trust->count < count; trust->count++) {
        status = read_key(trust->sodium, keys[trust->count], &trust->keys[trust->count]);
    }
    if (status) {
        free(trust);
        return status;
    }
    qsort(trust->keys, trust->count, sizeof(trust->keys[0]), compare_keys);
    *out_trust = trust;
    return CUBINET_OK;
}

const void *cbn_trust_keys(const struct cbn_trust *trust, size_t *out_size)
{
    *out_size = trust->count * sizeof(trust->keys[0]);
    return trust->keys;
}

struct cbn_trust *cbn_trust_copy(const struct cbn_trust *trust)
{
    size_t size = sizeof(*trust) + trust->count * sizeof(trust->keys[0]);
    struct cbn_trust *copy = malloc(size);
    return copy ? memcpy(copy, trust, size) : NULL;
}

void cbn_trust_free(struct cbn_trust *trust)
{
    free(trust);
}

const char *cbn_key_id_text(const unsigned char id[CBN_KEY_ID_SIZE], char text[CBN_KEY_ID_TEXT_SIZE])
{
    snprintf(text, CBN_KEY_ID_TEXT_SIZE, "%016llX", (unsigned long long)cbn_get64(id));
    return text;
}

/* What is hashed for a signature: a text that no file of another use starts with, the header without the
 * digest that covers the signatures too, and the rest of the root with zeros in their place. With
 * BLAKE2b-512, as minisign's signatures of large files are. */
static cubinet_status hash_root(const struct cbn_sodium *sodium, const unsigned char *root, size_t size,
                                const struct cbn_table *signatures, unsigned char out[CBN_SIGNED_DIGEST_SIZE])
{
    static const unsigned char zeros[CBN_SIGNATURE_BYTES];
    void *state = NULL;
    if (posix_memalign(&state, STATE_ALIGNMENT, sodium->crypto_generichash_statebytes()) != 0) {
        return cbn_error_memory();
    }
    sodium->crypto_generichash_init(state, NULL, 0, CBN_SIGNED_DIGEST_SIZE);
    sodium->crypto_generichash_update(state, (const unsigned char *)CBN_SIGNED_PREFIX,
                                      sizeof(CBN_SIGNED_PREFIX));
    sodium->crypto_generichash_update(state, root, CBN_HEADER_ROOT_DIGEST);
    const unsigned char *at = root + CBN_HEADER_SIZE;
    for (uint32_t i = 0; i < signatures->count; i++) {
        const unsigned char *signature = cbn_row(signatures, i) + CBN_SIGNATURE_VALUE;
        sodium->crypto_generichash_update(state, at, (unsigned long long)(signature - at));
        sodium->crypto_generichash_update(state, zeros, sizeof(zeros));
        at = signature + CBN_SIGNATURE_BYTES;
    }
    sodium->crypto_generichash_update(state, at, (unsigned long long)(root + size - at));
    sodium->crypto_generichash_final(state, out, CBN_SIGNED_DIGEST_SIZE);
    free(state);
    return CUBINET_OK;
}

cubinet_status cbn_trust_hash_root(const unsigned char *root, size_t size, const struct cbn_table *signatures,
                                   unsigned char out_digest[CBN_SIGNED_DIGEST_SIZE])
{
    const struct cbn_sodium *sodium = NULL;
    cubinet_status status = cbn_sodium_get(&sodium);
    return status ? status : hash_root(sodium, root, size, signatures, out_digest);
}

static const struct public_key *find_key(const struct cbn_trust *trust, const unsigned char *id)
{
    for (size_t i = 0; i < trust->count; i++) {
        if (memcmp(trust->keys[i].id, id, CBN_KEY_ID_SIZE) == 0) {
            return &trust->keys[i];
        }
    }
    return NULL;
}

/* Of one signature or more: "0123456789ABCDEF, 0123456789ABCDEF"; the last ones are left out where there are
 * too many to read. */
static void list_signers(const struct cbn_table *signatures, char *text, size_t size)
{
    size_t used = 0;
    for (uint32_t i = 0; i < signatures->count && used + 2 * CBN_KEY_ID_TEXT_SIZE < size; i++) {
        char id[CBN_KEY_ID_TEXT_SIZE];
        cbn_key_id_text(cbn_row(signatures, i) + CBN_SIGNATURE_KEY, id);
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "", id);
    }
}

static cubinet_status refuse_signers(const char *name, const struct cbn_table *signatures)
{
    char signers[200];
    if (signatures->count == 0) {
        return cbn_error(CUBINET_ERROR_NOT_TRUSTED,
                         "%s is not signed, and this program accepts only signed archives: sign it with "
                         "`cubinet sign`",
                         name);
    }
    list_signers(signatures, signers, sizeof(signers));
    return cbn_error(CUBINET_ERROR_NOT_TRUSTED,
                     signatures->count == 1
                         ? "%s is signed with the key %s, which this program does not trust"
                         : "%s is signed with the keys %s, none of which this program trusts",
                     name, signers);
}

cubinet_status cbn_trust_check_root(const struct cbn_trust *trust, const char *name,
                                    const unsigned char *root, size_t size,
                                    const struct cbn_table *signatures)
{
    unsigned char digest[CBN_SIGNED_DIGEST_SIZE];
    char id[CBN_KEY_ID_TEXT_SIZE] = "";
    cubinet_status status = hash_root(trust->sodium, root, size, signatures, digest);
    if (status) {
        return status;
    }
    for (uint32_t i = 0; i < signatures->count; i++) {
        const unsigned char *row = cbn_row(signatures, i);
        const struct public_key *key = find_key(trust, row + CBN_SIGNATURE_KEY);
        if (key && trust->sodium->crypto_sign_verify_detached(row + CBN_SIGNATURE_VALUE, digest,
                                                              sizeof(digest), key->key) == 0) {
            return CUBINET_OK;
        }
        if (key) {
            cbn_key_id_text(key->id, id);
        }
    }
    return id[0]
               ? cbn_error(CUBINET_ERROR_NOT_TRUSTED,
                           "%s was altered after it was signed with the key %s, or that is not the key that "
                           "it names",
                           name, id)
               : refuse_signers(name, signatures);
}

bool cbn_trust_matches(const struct cbn_trust *trust, const void *data, size_t size,
                       const unsigned char expected[CBN_SEAL_SIZE])
{
    unsigned char digest[CBN_SEAL_SIZE];
    trust->sodium->crypto_generichash(digest, sizeof(digest), data, size, NULL, 0);
    return memcmp(digest, expected, sizeof(digest)) == 0;
}
