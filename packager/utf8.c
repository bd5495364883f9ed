/* SPDX-License-Identifier: Apache-2.0 */
#include "utf8.h"

#include <stdint.h>
#include <string.h>

/* Bytes of a character by its first one, and the least number that needs so many. */
static size_t character_size(unsigned char first, uint32_t *out_least)
{
    *out_least = 0;
    if (first < 0x80) {
        return 1;
    }
    if (first >= 0xc0 && first < 0xe0) {
        *out_least = 0x80;
        return 2;
    }
    if (first >= 0xe0 && first < 0xf0) {
        *out_least = 0x800;
        return 3;
    }
    if (first >= 0xf0 && first < 0xf8) {
        *out_least = 0x10000;
        return 4;
    }
    return 0;
}

size_t utf8_character(const char *text, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)text;
    uint32_t least;
    size_t wanted = size > 0 ? character_size(bytes[0], &least) : 0;
    if (wanted <= 1) {
        return wanted;
    }
    if (wanted > size) {
        return 0;
    }
    uint32_t number = bytes[0] & (0x7fu >> wanted);
    for (size_t i = 1; i < wanted; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            return 0;
        }
        number = number << 6 | (bytes[i] & 0x3fu);
    }
    bool surrogate = number >= 0xd800 && number < 0xe000;
    return number < least || number > 0x10ffff || surrogate ? 0 : wanted;
}

bool utf8_valid(const char *text)
{
    size_t size = strlen(text);
    while (size > 0) {
        size_t taken = utf8_character(text, size);
        if (taken == 0) {
            return false;
        }
        text += taken;
        size -= taken;
    }
    return true;
}
