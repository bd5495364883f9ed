/* SPDX-License-Identifier: Apache-2.0 */
/* What --public-key is given. */
#ifndef PUBLIC_KEYS_H
#define PUBLIC_KEYS_H

#include "loader/core/support/text_list.h"

/* Adds a public key: the text of the file of that name, or, if there is none, the value itself.
 * CUBINET_ERROR_INVALID_ARGUMENT if that is not a public key. */
cubinet_status public_keys_add(struct cbn_text_list *keys, const char *value);

#endif
