/* SPDX-License-Identifier: Apache-2.0 */
/* libsodium, opened when an archive's signature is checked, so that programs that check none need it not. */
#ifndef CBN_SODIUM_TABLE_H
#define CBN_SODIUM_TABLE_H

#include "loader/core/support/dynlib.h"

#include <stddef.h>

/* X(function, result, parameters) */
#define CBN_SODIUM_FUNCTIONS(X)                                                                              \
    X(sodium_init, int, (void))                                                                              \
    X(sodium_base642bin, int,                                                                                \
      (unsigned char *out, size_t capacity, const char *text, size_t size, const char *ignored,              \
       size_t *out_size, const char **out_end, int variant))                                                 \
    X(crypto_generichash, int,                                                                               \
      (unsigned char *out, size_t out_size, const unsigned char *data, unsigned long long size,              \
       const unsigned char *key, size_t key_size))                                                           \
    X(crypto_generichash_statebytes, size_t, (void))                                                         \
    X(crypto_generichash_init, int,                                                                          \
      (void *state, const unsigned char *key, size_t key_size, size_t out_size))                             \
    X(crypto_generichash_update, int, (void *state, const unsigned char *data, unsigned long long size))     \
    X(crypto_generichash_final, int, (void *state, unsigned char *out, size_t out_size))                     \
    X(crypto_sign_verify_detached, int,                                                                      \
      (const unsigned char *signature, const unsigned char *message, unsigned long long size,                \
       const unsigned char *public_key))

struct cbn_sodium {
#define CBN_SODIUM_FIELD(name, result, parameters) result(*name) parameters;
    CBN_SODIUM_FUNCTIONS(CBN_SODIUM_FIELD)
#undef CBN_SODIUM_FIELD
};

/* The library, which is opened once and stays. CUBINET_ERROR_NOT_TRUSTED, with what was tried, if it can't be
 * opened: nothing can be trusted without it. Any thread may ask. */
cubinet_status cbn_sodium_get(const struct cbn_sodium **out_sodium);

#endif
