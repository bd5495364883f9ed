/* SPDX-License-Identifier: Apache-2.0 */
/* Whom a program trusts: the public keys that it gave, and checking what they signed.
 * docs/reference/format.md, "Signatures". */
#ifndef CBN_TRUST_H
#define CBN_TRUST_H

#include "loader/core/archive/format.h"
#include "loader/core/archive/tables.h"

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>

struct cbn_trust;

/* Reads public keys: minisign's, each the text of its file or the last line of that alone.
 * CUBINET_ERROR_INVALID_ARGUMENT if one is none, CUBINET_ERROR_NOT_TRUSTED without libsodium. The caller
 * frees the result. */
cubinet_status cbn_trust_create(const char *const *keys, size_t count, struct cbn_trust **out_trust);

/* A copy, which the caller frees; NULL if memory is out. */
struct cbn_trust *cbn_trust_copy(const struct cbn_trust *trust);
void cbn_trust_free(struct cbn_trust *trust);

/* The keys as bytes, which are the same whatever order they were given in. */
const void *cbn_trust_keys(const struct cbn_trust *trust, size_t *out_size);

/* Whether one of the signatures is by one of the keys and fits the root, in whose bytes their table lies.
 * CUBINET_ERROR_NOT_TRUSTED if not; the message says who signed instead, and calls the archive `name`. */
cubinet_status cbn_trust_check_root(const struct cbn_trust *trust, const char *name,
                                    const unsigned char *root, size_t size,
                                    const struct cbn_table *signatures);

/* What is signed of a root: a digest of all of it but the signatures and the digest that covers them.
 * CUBINET_ERROR_NOT_TRUSTED without libsodium. */
enum { CBN_SIGNED_DIGEST_SIZE = 64 };
cubinet_status cbn_trust_hash_root(const unsigned char *root, size_t size, const struct cbn_table *signatures,
                                   unsigned char out_digest[CBN_SIGNED_DIGEST_SIZE]);

/* Whether the bytes have the digest that something signed says. */
bool cbn_trust_matches(const struct cbn_trust *trust, const void *data, size_t size,
                       const unsigned char expected[CBN_SEAL_SIZE]);

/* A key's number as minisign prints it: 16 hexadecimal digits. */
enum { CBN_KEY_ID_TEXT_SIZE = 17 };
const char *cbn_key_id_text(const unsigned char id[CBN_KEY_ID_SIZE], char text[CBN_KEY_ID_TEXT_SIZE]);

#endif
