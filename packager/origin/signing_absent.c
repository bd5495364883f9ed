/* SPDX-License-Identifier: Apache-2.0 */
/* In place of signing_key.c where libsodium was not there to build with. */
#include "loader/core/support/error.h"
#include "origin/signing_key.h"

#include <string.h>

const bool signing_is_built_in = false;

static cubinet_status absent(void)
{
    return cbn_error(
        CUBINET_ERROR_NOT_FOUND,
        "this cubinet was built without libsodium, which keys and signatures need: build it where "
        "that is installed (Debian's package is libsodium-dev)");
}

cubinet_status signing_key_make(struct signing_key *out_key)
{
    (void)out_key;
    return absent();
}

cubinet_status signing_key_read(const char *path, struct signing_key *out_key)
{
    (void)path;
    (void)out_key;
    return absent();
}

cubinet_status signing_key_write(const struct signing_key *key, const char *password, const char *secret_path,
                                 const char *public_path)
{
    (void)key;
    (void)password;
    (void)secret_path;
    (void)public_path;
    return absent();
}

void signing_key_public(const struct signing_key *key, char text[SIGNING_PUBLIC_TEXT_SIZE])
{
    (void)key;
    text[0] = '\0';
}

void signing_key_sign(const struct signing_key *key, const unsigned char *message, size_t size,
                      unsigned char out_signature[CBN_SIGNATURE_BYTES])
{
    (void)key;
    (void)message;
    (void)size;
    memset(out_signature, 0, CBN_SIGNATURE_BYTES);
}

void signing_key_forget(struct signing_key *key)
{
    explicit_bzero(key, sizeof(*key));
}

void signing_seal(const void *data, size_t size, unsigned char out[CBN_SEAL_SIZE])
{
    (void)data;
    (void)size;
    memset(out, 0, CBN_SEAL_SIZE);
}
