/* SPDX-License-Identifier: Apache-2.0 */
#include "origin/public_keys.h"

#include "base/file.h"
#include "loader/core/archive/trust.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <unistd.h>

/* Whether a text is a key or the whole of its file. Without the library that reads keys nothing is refused
 * here, but where they are used. */
static cubinet_status check(const char *text)
{
    struct cbn_trust *trust = NULL;
    cubinet_status status = cbn_trust_create(&text, 1, &trust);
    cbn_trust_free(trust);
    return status == CUBINET_ERROR_NOT_TRUSTED ? CUBINET_OK : status;
}

static cubinet_status add_text(struct cbn_text_list *keys, const char *text)
{
    cubinet_status status = check(text);
    if (status == CUBINET_ERROR_INVALID_ARGUMENT) {
        /* The text is not told: it may be a secret key, given by mistake. */
        return cbn_error(status, "there is no such file, and %s", cubinet_error_message());
    }
    return status ? status : cbn_text_list_add(keys, text);
}

static cubinet_status add_file(struct cbn_text_list *keys, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    cubinet_status status = file_read(path, &text, &size);
    if (!status) {
        status = check(text);
        status = status ? cbn_error_context(status, "'%s'", path) : cbn_text_list_add(keys, text);
    }
    free(text);
    return status;
}

cubinet_status public_keys_add(struct cbn_text_list *keys, const char *value)
{
    return access(value, F_OK) == 0 ? add_file(keys, value) : add_text(keys, value);
}
