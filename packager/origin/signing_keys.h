/* SPDX-License-Identifier: Apache-2.0 */
/* The secret keys that a command signs with: what --sign and --key are given. */
#ifndef SIGNING_KEYS_H
#define SIGNING_KEYS_H

#include "loader/core/support/text_list.h"
#include "origin/signing_key.h"

struct signing_keys {
    struct signing_key *items;
    size_t count;
};

/* Reads the files of the keys, in that order, and asks for the passwords of those that have one. The caller
 * forgets them, also after a failure. The same key twice is CUBINET_ERROR_INVALID_ARGUMENT. */
cubinet_status signing_keys_read(const struct cbn_text_list *paths, struct signing_keys *out_keys);
void signing_keys_forget(struct signing_keys *keys);

/* Warns that what was written of a signed archive is not signed. */
void signing_keys_warn(const char *archive, const char *output);

#endif
