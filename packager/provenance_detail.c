/* SPDX-License-Identifier: Apache-2.0 */
#include "provenance_detail.h"

#include "error.h"

#include <string.h>

cubinet_status provenance_detail_read(const char *word, enum provenance_detail *out_detail)
{
    static const char *const words[] = {
        [PROVENANCE_OPTIONS] = "options", [PROVENANCE_NONE] = "none", [PROVENANCE_SOURCES] = "sources"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(word, words[i]) == 0) {
            *out_detail = (enum provenance_detail)i;
            return CUBINET_OK;
        }
    }
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                     "'%s' is nothing that --provenance records: none, options or sources", word);
}
