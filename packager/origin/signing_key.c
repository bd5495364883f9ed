/* SPDX-License-Identifier: Apache-2.0 */
#include "origin/signing_key.h"

#include "base/atomic_file.h"
#include "base/file.h"
#include "loader/core/support/error.h"
#include "origin/password.h"

#include <errno.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

_Static_assert(SIGNING_SECRET_SIZE == crypto_sign_SECRETKEYBYTES, "a secret key is libsodium's");
_Static_assert(CBN_SIGNATURE_BYTES == crypto_sign_BYTES, "a signature is libsodium's");

const bool signing_is_built_in = true;

enum { CHECKSUM_SIZE = 32, SALT_SIZE = 32, BASE64 = sodium_base64_VARIANT_ORIGINAL };

static const unsigned char ed25519[2] = {'E', 'd'};
static const unsigned char scrypt[2] = {'S', 'c'};
static const unsigned char no_scrypt[2] = {0, 0};
static const unsigned char blake2b[2] = {'B', '2'};

/* What a password's stream is laid over. */
struct secret_part {
    unsigned char id[CBN_KEY_ID_SIZE];
    unsigned char secret[SIGNING_SECRET_SIZE];
    unsigned char checksum[CHECKSUM_SIZE];
};

/* The bytes of a secret key's file, after base64. */
struct secret_file {
    unsigned char algorithm[2];
    unsigned char derivation[2];
    unsigned char checksum_algorithm[2];
    unsigned char salt[SALT_SIZE];
    unsigned char operations[8]; /* scrypt's limits, little-endian */
    unsigned char memory[8];
    struct secret_part part;
};

struct public_file {
    unsigned char algorithm[2];
    unsigned char id[CBN_KEY_ID_SIZE];
    unsigned char key[crypto_sign_PUBLICKEYBYTES];
};

_Static_assert(sizeof(struct secret_file) == 158 && sizeof(struct public_file) == 42,
               "as minisign writes them");

static cubinet_status start(void)
{
    return sodium_init() < 0 ? cbn_error(CUBINET_ERROR_IO, "libsodium does not start") : CUBINET_OK;
}

cubinet_status signing_key_make(struct signing_key *out_key)
{
    unsigned char public[crypto_sign_PUBLICKEYBYTES];
    cubinet_status status = start();
    if (!status) {
        randombytes_buf(out_key->id, sizeof(out_key->id));
        crypto_sign_keypair(public, out_key->secret);
    }
    return status;
}

static void make_checksum(const struct secret_file *file, unsigned char out[CHECKSUM_SIZE])
{
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, CHECKSUM_SIZE);
    crypto_generichash_update(&state, file->algorithm, sizeof(file->algorithm));
    crypto_generichash_update(&state, file->part.id, sizeof(file->part.id));
    crypto_generichash_update(&state, file->part.secret, sizeof(file->part.secret));
    crypto_generichash_final(&state, out, CHECKSUM_SIZE);
}

/* Lays the password's stream over the secret part, which encrypts it or brings it back. */
static cubinet_status apply_password(struct secret_file *file, const char *password)
{
    unsigned char stream[sizeof(file->part)];
    unsigned char *part = (unsigned char *)&file->part;
    uint64_t memory = cbn_get64(file->memory);
    if (memory > SIZE_MAX ||
        crypto_pwhash_scryptsalsa208sha256(stream, sizeof(stream), password, strlen(password), file->salt,
                                           cbn_get64(file->operations), (size_t)memory) != 0) {
        return cbn_error(CUBINET_ERROR_OUT_OF_MEMORY,
                         "checking the key's password takes %llu MiB of memory, which is not available",
                         (unsigned long long)(memory >> 20));
    }
    for (size_t i = 0; i < sizeof(stream); i++) {
        part[i] ^= stream[i];
    }
    sodium_memzero(stream, sizeof(stream));
    return CUBINET_OK;
}

/* The line after the comment. */
static bool decode(const char *text, void *out, size_t size)
{
    size_t decoded = 0;
    const char *line = strchr(text, '\n');
    if (strncmp(text, "untrusted comment:", strlen("untrusted comment:")) != 0 || !line) {
        return false;
    }
    line++;
    return sodium_base642bin(out, size, line, strcspn(line, "\r\n"), NULL, &decoded, NULL, BASE64) == 0 &&
           decoded == size;
}

static cubinet_status read_file(const char *path, struct secret_file *out_file)
{
    char *text = NULL;
    size_t size = 0;
    cubinet_status status = file_read(path, &text, &size);
    if (status) {
        return status;
    }
    struct secret_file file;
    if (!decode(text, &file, sizeof(file)) || memcmp(file.algorithm, ed25519, 2) != 0 ||
        memcmp(file.checksum_algorithm, blake2b, 2) != 0) {
        status = cbn_error(
            CUBINET_ERROR_INVALID_ARGUMENT,
            "'%s' is not a secret key: one is what `cubinet keygen` and minisign write to a .key file", path);
    } else {
        *out_file = file;
    }
    sodium_memzero(text, size);
    sodium_memzero(&file, sizeof(file));
    free(text);
    return status;
}

static cubinet_status unlock(const char *path, struct secret_file *file)
{
    char *password = NULL;
    cubinet_status status = password_ask(path, &password);
    if (!status) {
        status = apply_password(file, password);
    }
    password_forget(password);
    return status;
}

cubinet_status signing_key_read(const char *path, struct signing_key *out_key)
{
    struct secret_file file = {0};
    unsigned char checksum[CHECKSUM_SIZE];
    cubinet_status status = start();
    if (!status) {
        status = read_file(path, &file);
    }
    bool is_locked = memcmp(file.derivation, no_scrypt, 2) != 0;
    if (!status && is_locked) {
        status = unlock(path, &file);
    }
    if (!status) {
        make_checksum(&file, checksum);
        bool is_left_out =
            !is_locked && sodium_is_zero(file.part.checksum, sizeof(checksum)); /* as in minisign's */
        if (!is_left_out && sodium_memcmp(checksum, file.part.checksum, sizeof(checksum)) != 0) {
            status = cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "'%s': %s", path,
                               is_locked ? "that is not its password" : "the key is damaged");
        }
    }
    if (!status) {
        memcpy(out_key->id, file.part.id, sizeof(out_key->id));
        memcpy(out_key->secret, file.part.secret, sizeof(out_key->secret));
    }
    sodium_memzero(&file, sizeof(file));
    return status;
}

static cubinet_status make_secret_file(const struct signing_key *key, const char *password,
                                       struct secret_file *file)
{
    *file = (struct secret_file){0};
    memcpy(file->algorithm, ed25519, 2);
    memcpy(file->derivation, password ? scrypt : no_scrypt, 2);
    memcpy(file->checksum_algorithm, blake2b, 2);
    memcpy(file->part.id, key->id, sizeof(key->id));
    memcpy(file->part.secret, key->secret, sizeof(key->secret));
    make_checksum(file, file->part.checksum);
    if (!password) {
        return CUBINET_OK;
    }
    randombytes_buf(file->salt, sizeof(file->salt));
    cbn_put64(file->operations, crypto_pwhash_scryptsalsa208sha256_OPSLIMIT_SENSITIVE);
    cbn_put64(file->memory, crypto_pwhash_scryptsalsa208sha256_MEMLIMIT_SENSITIVE);
    return apply_password(file, password);
}

static cubinet_status write_text(const char *path, mode_t mode, const char *comment, const char *line)
{
    struct atomic_file file = {0};
    cubinet_status status = atomic_file_open(path, &file);
    if (status) {
        return status;
    }
    status = atomic_file_set_mode(&file, mode);
    if (!status && fprintf(file.stream, "untrusted comment: %s\n%s\n", comment, line) < 0) {
        status = atomic_file_error(path);
    }
    if (status) {
        atomic_file_discard(&file);
        return status;
    }
    return atomic_file_commit(&file, 0);
}

void signing_key_public(const struct signing_key *key, char text[SIGNING_PUBLIC_TEXT_SIZE])
{
    struct public_file file;
    memcpy(file.algorithm, ed25519, 2);
    memcpy(file.id, key->id, sizeof(key->id));
    crypto_sign_ed25519_sk_to_pk(file.key, key->secret);
    sodium_bin2base64(text, SIGNING_PUBLIC_TEXT_SIZE, (const unsigned char *)&file, sizeof(file), BASE64);
}

cubinet_status signing_key_write(const struct signing_key *key, const char *password, const char *secret_path,
                                 const char *public_path)
{
    enum { OWNER_ALONE = 0600, ANYBODY = 0644 };
    char comment[64];
    char public[SIGNING_PUBLIC_TEXT_SIZE];
    char line[sodium_base64_ENCODED_LEN(sizeof(struct secret_file), BASE64)];
    struct secret_file file;
    cubinet_status status = make_secret_file(key, password, &file);
    if (!status) {
        sodium_bin2base64(line, sizeof(line), (const unsigned char *)&file, sizeof(file), BASE64);
        status = write_text(secret_path, OWNER_ALONE,
                            password ? "minisign encrypted secret key" : "minisign secret key", line);
    }
    if (!status) {
        snprintf(comment, sizeof(comment), "minisign public key %016llX",
                 (unsigned long long)cbn_get64(key->id));
        signing_key_public(key, public);
        status = write_text(public_path, ANYBODY, comment, public);
    }
    sodium_memzero(line, sizeof(line));
    sodium_memzero(&file, sizeof(file));
    return status;
}

void signing_key_sign(const struct signing_key *key, const unsigned char *message, size_t size,
                      unsigned char out_signature[CBN_SIGNATURE_BYTES])
{
    crypto_sign_detached(out_signature, NULL, message, size, key->secret);
}

void signing_key_forget(struct signing_key *key)
{
    sodium_memzero(key, sizeof(*key));
}

void signing_seal(const void *data, size_t size, unsigned char out[CBN_SEAL_SIZE])
{
    crypto_generichash(out, CBN_SEAL_SIZE, data, size, NULL, 0);
}
