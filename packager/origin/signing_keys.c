/* SPDX-License-Identifier: Apache-2.0 */
#include "origin/signing_keys.h"

#include "base/command.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

static cubinet_status check_new(const struct signing_keys *keys, const struct signing_key *key,
                                const char *path)
{
    for (size_t i = 0; i < keys->count; i++) {
        if (memcmp(keys->items[i].id, key->id, sizeof(key->id)) == 0) {
            return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "the key '%s' is given twice", path);
        }
    }
    if (keys->count == CBN_SIGNATURES_MAX) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "an archive has at most %d signatures",
                         (int)CBN_SIGNATURES_MAX);
    }
    return CUBINET_OK;
}

cubinet_status signing_keys_read(const struct cbn_text_list *paths, struct signing_keys *out_keys)
{
    cubinet_status status = CUBINET_OK;
    out_keys->items = calloc(paths->count + 1, sizeof(*out_keys->items));
    if (!out_keys->items) {
        return cbn_error_memory();
    }
    for (size_t i = 0; !status && i < paths->count; i++) {
        struct signing_key *key = &out_keys->items[out_keys->count];
        status = signing_key_read(paths->items[i], key);
        if (!status) {
            status = check_new(out_keys, key, paths->items[i]);
        }
        out_keys->count += !status;
    }
    return status;
}

void signing_keys_forget(struct signing_keys *keys)
{
    for (size_t i = 0; i < keys->count; i++) {
        signing_key_forget(&keys->items[i]);
    }
    free(keys->items);
    *keys = (struct signing_keys){0};
}

void signing_keys_warn(const char *archive, const char *output)
{
    command_warning("'%s' is signed, and '%s' is not: sign it with `cubinet sign`", archive, output);
}
