/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import_text.h"

#include <ctype.h>
#include <string.h>

bool import_text_skip_to(struct import_text *text, const char *mark)
{
    const char *found = memmem(text->at, (size_t)(text->end - text->at), mark, strlen(mark));
    text->at = found ? found + strlen(mark) : text->at;
    return found != NULL;
}

static bool is_of_word(char letter)
{
    return isalnum((unsigned char)letter) || letter == '_';
}

size_t import_text_word(const struct import_text *text)
{
    size_t size = 0;
    size_t left = (size_t)(text->end - text->at);
    while (size < left && is_of_word(text->at[size])) {
        size++;
    }
    return size;
}

const char *import_text_word_before(const char *start, const char *at)
{
    while (at > start && is_of_word(at[-1])) {
        at--;
    }
    return at;
}

bool import_text_number(struct import_text *text, uint32_t *out_number)
{
    const char *at = text->at;
    uint64_t number = 0;
    while (at < text->end && *at == ' ') {
        at++;
    }
    const char *start = at;
    while (at < text->end && isdigit((unsigned char)*at) && number < UINT32_MAX) {
        number = number * 10 + (uint64_t)(*at++ - '0');
    }
    if (at == start || number >= UINT32_MAX) {
        return false;
    }
    text->at = at;
    *out_number = (uint32_t)number;
    return true;
}
