/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/record/record_json.h"

#include "loader/core/support/text.h"

#include <stdint.h>
#include <string.h>

/* Bytes that are not UTF-8 stand as what they would be in Latin-1: a record is text that any tool reads. */
void cbn_json_print(FILE *file, const char *text)
{
    size_t size = strlen(text);
    fputc('"', file);
    while (size > 0) {
        size_t length = cbn_text_character(text, size);
        unsigned char byte = (unsigned char)*text;
        if (length == 0 || byte < 0x20 || byte == 0x7f) {
            fprintf(file, "\\u%04x", byte);
            length = 1;
        } else if (byte == '"' || byte == '\\') {
            fprintf(file, "\\%c", byte);
        } else {
            fwrite(text, 1, length, file);
        }
        text += length;
        size -= length;
    }
    fputc('"', file);
}

static char *skip_blanks(char *text)
{
    return text + strspn(text, " \t\r");
}

/* The value of four hexadecimal digits; -1 if they are not. */
static int32_t read_hex(const char *digits)
{
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        const char *all = "0123456789abcdefABCDEF";
        const char *found = digits[i] ? strchr(all, digits[i]) : NULL;
        if (!found) {
            return -1;
        }
        int32_t digit = (int32_t)(found - all);
        value = value * 16 + (digit < 16 ? digit : digit - 6);
    }
    return value;
}

/* Writes a character as UTF-8, and returns where it ends. */
static char *put_character(char *out, uint32_t character)
{
    if (character < 0x80) {
        *out++ = (char)character;
    } else if (character < 0x800) {
        *out++ = (char)(0xc0 | character >> 6);
        *out++ = (char)(0x80 | (character & 0x3f));
    } else if (character < 0x10000) {
        *out++ = (char)(0xe0 | character >> 12);
        *out++ = (char)(0x80 | (character >> 6 & 0x3f));
        *out++ = (char)(0x80 | (character & 0x3f));
    } else {
        *out++ = (char)(0xf0 | character >> 18);
        *out++ = (char)(0x80 | (character >> 12 & 0x3f));
        *out++ = (char)(0x80 | (character >> 6 & 0x3f));
        *out++ = (char)(0x80 | (character & 0x3f));
    }
    return out;
}

/* Reads what follows "\u", perhaps the two of a pair; NULL if it is not a character that a text may have. */
static char *read_character(char *text, char **out)
{
    int32_t character = read_hex(text);
    if (character < 0) {
        return NULL;
    }
    text += 4;
    if (character >= 0xd800 && character < 0xdc00 && text[0] == '\\' && text[1] == 'u') {
        int32_t low = read_hex(text + 2);
        if (low < 0xdc00 || low > 0xdfff) {
            return NULL;
        }
        character = 0x10000 + ((character - 0xd800) << 10) + (low - 0xdc00);
        text += 6;
    } else if (character == 0 || (character >= 0xd800 && character <= 0xdfff)) {
        return NULL; /* a NUL, half a pair */
    }
    *out = put_character(*out, (uint32_t)character);
    return text;
}

/* Unescapes a string in place, of which the opening quote was read. Where it ends, or NULL. What is written
 * never overtakes what is read. */
static char *read_string(char *text)
{
    static const char escapes[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    char *out = text;
    while (*text && *text != '"') {
        if (*text != '\\') {
            *out++ = *text++;
            continue;
        }
        text++;
        const char *escape = *text ? strchr(escapes, *text) : NULL;
        if (escape) {
            *out++ = meanings[escape - escapes];
            text++;
        } else if (*text != 'u' || !(text = read_character(text + 1, &out))) {
            return NULL;
        }
    }
    if (*text != '"') {
        return NULL;
    }
    *out = '\0';
    return text + 1;
}

/* Takes the value; where it ends, or NULL. */
static char *read_value(char *text, struct cbn_json_member *out_member)
{
    out_member->is_string = *text == '"';
    out_member->value = out_member->is_string ? text + 1 : text;
    if (out_member->is_string) {
        return read_string(text + 1);
    }
    size_t length = strspn(text, "+-.0123456789eE");
    return length > 0 ? text + length : NULL;
}

int cbn_json_next(char **rest, struct cbn_json_member *out_member)
{
    char *text = skip_blanks(*rest);
    if (*text == '}') {
        return *skip_blanks(text + 1) == '\0' ? 0 : -1;
    }
    if (*text != '{' && *text != ',') {
        return -1;
    }
    bool is_first = *text == '{';
    text = skip_blanks(text + 1);
    if (is_first && *text == '}') {
        return *skip_blanks(text + 1) == '\0' ? 0 : -1;
    }
    out_member->name = text + 1;
    text = *text == '"' ? read_string(text + 1) : NULL;
    text = text ? skip_blanks(text) : NULL;
    if (!text || *text != ':') {
        return -1;
    }
    text = read_value(skip_blanks(text + 1), out_member);
    text = text ? skip_blanks(text) : NULL;
    if (!text || (*text != ',' && *text != '}')) {
        return -1;
    }
    *rest = text;
    return 1;
}
