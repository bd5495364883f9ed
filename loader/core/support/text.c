/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/support/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that are looked at together, which the compiler turns into one or two instructions. */
enum { CHUNK = 32 };

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

/* Bytes of the first character, and its number; 0 if it is not UTF-8. */
static size_t decode(const unsigned char *bytes, size_t size, uint32_t *out_number)
{
    uint32_t least;
    size_t wanted = size > 0 ? character_size(bytes[0], &least) : 0;
    if (wanted == 0 || wanted > size) {
        return 0;
    }
    uint32_t number = wanted == 1 ? bytes[0] : bytes[0] & (0x7fu >> wanted);
    for (size_t i = 1; i < wanted; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            return 0;
        }
        number = number << 6 | (bytes[i] & 0x3fu);
    }
    bool is_surrogate = number >= 0xd800 && number < 0xe000;
    *out_number = number;
    return number < least || number > 0x10ffff || is_surrogate ? 0 : wanted;
}

size_t cbn_text_character(const char *text, size_t size)
{
    uint32_t number;
    return decode((const unsigned char *)text, size, &number);
}

static bool is_shown(uint32_t number, uint32_t controls)
{
    if (number < ' ') {
        return controls >> number & 1;
    }
    bool is_control = number >= 0x7f && number < 0xa0;
    bool reorders = (number >= 0x2028 && number <= 0x202e) || (number >= 0x2066 && number <= 0x2069);
    return !is_control && !reorders;
}

static bool is_printable(unsigned char byte)
{
    return (unsigned char)(byte - ' ') <= '~' - ' ';
}

/* Whether a chunk is ASCII that can be shown. */
static bool is_simple(const unsigned char *bytes, uint32_t controls)
{
    unsigned char nul = controls & CBN_TEXT_NUL ? '\0' : ' ';
    unsigned char line = controls & CBN_TEXT_LINE ? '\n' : ' ';
    unsigned char others = 0;
    for (size_t i = 0; i < CHUNK; i++) {
        others |= !is_printable(bytes[i]) & (bytes[i] != nul) & (bytes[i] != line);
    }
    return !others;
}

/* Bytes of the first character if it can be shown, otherwise 0. */
static size_t take(const unsigned char *bytes, size_t size, uint32_t controls)
{
    uint32_t number;
    if (is_printable(bytes[0])) {
        return 1;
    }
    size_t taken = decode(bytes, size, &number);
    return taken > 0 && is_shown(number, controls) ? taken : 0;
}

size_t cbn_text_plain(const void *text, size_t size, uint32_t controls)
{
    const unsigned char *bytes = text;
    size_t at = 0;
    while (at < size) {
        size_t end = size - at > CHUNK ? at + CHUNK : size;
        if (end - at == CHUNK && is_simple(bytes + at, controls)) {
            at = end;
        }
        while (at < end) {
            size_t taken = take(bytes + at, size - at, controls);
            if (taken == 0) {
                return at;
            }
            at += taken;
        }
    }
    return at;
}

size_t cbn_text_escape(const char *text, size_t size, char out[CBN_TEXT_ESCAPE_SIZE])
{
    uint32_t number;
    size_t taken = decode((const unsigned char *)text, size, &number);
    if (taken == 0) {
        snprintf(out, CBN_TEXT_ESCAPE_SIZE, "\\x%02x", (unsigned char)text[0]);
        return 1;
    }
    snprintf(out, CBN_TEXT_ESCAPE_SIZE, "\\u%04x", (unsigned)number & 0xffff);
    return taken;
}

char *cbn_text_shown(char *text, uint32_t controls)
{
    enum { GROWTH = sizeof("\\u001b") - 1 }; /* of one byte, at most */
    size_t left = text ? strlen(text) : 0;
    if (cbn_text_plain(text, left, controls) == left) {
        return text;
    }
    char *shown = malloc(left * GROWTH + 1);
    char *end = shown;
    for (const char *at = text; shown && left > 0;) {
        size_t plain = cbn_text_plain(at, left, controls);
        end = (char *)memcpy(end, at, plain) + plain;
        at += plain;
        left -= plain;
        if (left > 0) {
            char escape[CBN_TEXT_ESCAPE_SIZE];
            size_t taken = cbn_text_escape(at, left, escape);
            end = stpcpy(end, escape);
            at += taken;
            left -= taken;
        }
    }
    if (shown) {
        *end = '\0';
    }
    free(text);
    return shown;
}
