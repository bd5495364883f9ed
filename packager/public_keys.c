/* SPDX-License-Identifier: Apache-2.0 */
#include "public_keys.h"

#include "file.h"

#include <stdlib.h>
#include <unistd.h>

cubinet_status public_keys_add(struct string_list *keys, const char *value)
{
    char *text = NULL;
    size_t size = 0;
    if (access(value, F_OK) != 0) {
        return string_list_add(keys, value);
    }
    cubinet_status status = file_read(value, &text, &size);
    if (status == CUBINET_OK) {
        status = string_list_add(keys, text);
    }
    free(text);
    return status;
}
