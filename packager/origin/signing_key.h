/* SPDX-License-Identifier: Apache-2.0 */
/* Ed25519 keys in minisign's files: NAME.key, which signs, and NAME.pub, which programs are given. */
#ifndef SIGNING_KEY_H
#define SIGNING_KEY_H

#include "loader/core/archive/format.h"

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>

enum { SIGNING_SECRET_SIZE = 64 };

/* Without libsodium no key is made or read, so that nothing else here has anything to do. */
extern const bool signing_is_built_in;

struct signing_key {
    unsigned char id[CBN_KEY_ID_SIZE];
    unsigned char secret[SIGNING_SECRET_SIZE];
};

/* A new key. */
cubinet_status signing_key_make(struct signing_key *out_key);

/* Reads the file of a secret key. One with a password asks for it: password.h. */
cubinet_status signing_key_read(const char *path, struct signing_key *out_key);

/* Writes the secret key, readable by its owner alone, and the public key. `password` encrypts the secret key
 * (a second's work, and a gigabyte of memory, as minisign has it); NULL leaves it in the clear. */
cubinet_status signing_key_write(const struct signing_key *key, const char *password, const char *secret_path,
                                 const char *public_path);

/* What a program is given: the last line of the public key's file. */
enum { SIGNING_PUBLIC_TEXT_SIZE = 57 };
void signing_key_public(const struct signing_key *key, char text[SIGNING_PUBLIC_TEXT_SIZE]);

void signing_key_sign(const struct signing_key *key, const unsigned char *message, size_t size,
                      unsigned char out_signature[CBN_SIGNATURE_BYTES]);

/* Overwrites the secret. */
void signing_key_forget(struct signing_key *key);

/* The digest by which a signature covers a block or an image. */
void signing_seal(const void *data, size_t size, unsigned char out[CBN_SEAL_SIZE]);

#endif
