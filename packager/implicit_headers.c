/* SPDX-License-Identifier: Apache-2.0 */
#include "implicit_headers.h"

#include <string.h>

bool implicit_headers_pay(const char *source, const struct string_list *options)
{
    static const char *const including[] = {"-include", "--pre-include"};
    for (size_t i = 0; i < options->count; i++) {
        for (size_t j = 0; j < sizeof(including) / sizeof(including[0]); j++) {
            if (strncmp(options->items[i], including[j], strlen(including[j])) == 0) {
                return true;
            }
        }
    }
    return strstr(source, "include") != NULL; /* in a comment, too: then they cost their time */
}
