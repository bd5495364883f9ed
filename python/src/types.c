/* SPDX-License-Identifier: Apache-2.0 */
#include "types.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 64, DEEPEST = 64 };

static const struct {
    const char *text; /* words in order, one space between them */
    enum py_class class;
    uint32_t size;
} numbers[] = {
    {"bool", PY_BOOL, 1},
    {"char", PY_SIGNED, 1},
    {"signed char", PY_SIGNED, 1},
    {"int8_t", PY_SIGNED, 1},
    {"unsigned char", PY_UNSIGNED, 1},
    {"uint8_t", PY_UNSIGNED, 1},
    {"short", PY_SIGNED, 2},
    {"int16_t", PY_SIGNED, 2},
    {"unsigned short", PY_UNSIGNED, 2},
    {"uint16_t", PY_UNSIGNED, 2},
    {"int", PY_SIGNED, 4},
    {"int32_t", PY_SIGNED, 4},
    {"unsigned", PY_UNSIGNED, 4},
    {"unsigned int", PY_UNSIGNED, 4},
    {"uint32_t", PY_UNSIGNED, 4},
    {"long", PY_SIGNED, 8},
    {"long long", PY_SIGNED, 8},
    {"int64_t", PY_SIGNED, 8},
    {"unsigned long", PY_UNSIGNED, 8},
    {"unsigned long long", PY_UNSIGNED, 8},
    {"uint64_t", PY_UNSIGNED, 8},
    {"size_t", PY_UNSIGNED, 8},
    {"__half", PY_FLOAT, 2},
    {"half", PY_FLOAT, 2},
    {"__nv_bfloat16", PY_BFLOAT, 2},
    {"nv_bfloat16", PY_BFLOAT, 2},
    {"float", PY_FLOAT, 4},
    {"double", PY_FLOAT, 8},
};

static bool is_qualifier(const char *word, size_t size)
{
    static const char *const qualifiers[] = {"const",        "volatile",   "restrict",
                                             "__restrict__", "__restrict", "struct"};
    for (size_t i = 0; i < sizeof(qualifiers) / sizeof(qualifiers[0]); i++) {
        if (strlen(qualifiers[i]) == size && strncmp(qualifiers[i], word, size) == 0) {
            return true;
        }
    }
    return false;
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == ':';
}

/* The words of a type with stars after them, without qualifiers. False for any other type. */
static bool take_apart(const char *text, size_t size, char words[LONGEST], int *out_stars)
{
    size_t used = 0;
    size_t at = 0;
    *out_stars = 0;
    while (at < size) {
        size_t start = at;
        while (at < size && in_word(text[at])) {
            at++;
        }
        if (at == start) {
            if (text[at] != ' ' && text[at] != '*') {
                return false;
            }
            *out_stars += text[at] == '*';
            at++;
        } else if (!is_qualifier(text + start, at - start)) {
            if (*out_stars > 0 || used + 1 + (at - start) >= LONGEST) {
                return false;
            }
            if (used > 0) {
                words[used++] = ' ';
            }
            memcpy(words + used, text + start, at - start);
            used += at - start;
        }
    }
    words[used] = '\0';
    return true;
}

struct py_type py_type_read(const char *text, size_t size)
{
    struct py_type type = {PY_UNKNOWN, 0, PY_UNKNOWN, 0};
    char words[LONGEST];
    int stars = 0;
    if (!take_apart(text, size, words, &stars)) {
        /* A pointer to something that this does not read is still a pointer. */
        while (size > 0 && text[size - 1] == ' ') {
            size--;
        }
        stars = size > 0 && text[size - 1] == '*';
        words[0] = '\0';
    }
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (strcmp(words, numbers[i].text) == 0) {
            type.class = numbers[i].class;
            type.size = numbers[i].size;
        }
    }
    if (stars == 0) {
        return type;
    }
    return stars == 1 ? (struct py_type){PY_POINTER, 8, type.class, type.size}
                      : (struct py_type){PY_POINTER, 8, PY_POINTER, 8};
}

const char *py_type_end(const char *text)
{
    int depth = 0;
    for (; *text; text++) {
        if (strchr("(<[{", *text)) {
            depth++;
        } else if (depth == 0 && (*text == ',' || *text == ')')) {
            break;
        } else if (strchr(")>]}", *text)) {
            depth--;
        }
    }
    return text;
}

const char *py_class_name(enum py_class class, uint32_t size)
{
    static const char *const names[][4] = {
        [PY_SIGNED] = {"int8", "int16", "int32", "int64"},
        [PY_UNSIGNED] = {"uint8", "uint16", "uint32", "uint64"},
        [PY_FLOAT] = {"float8", "float16", "float32", "float64"},
    };
    int place = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
    switch (class) {
    case PY_SIGNED:
    case PY_UNSIGNED:
    case PY_FLOAT:
        return names[class][place];
    case PY_BFLOAT:
        return "bfloat16";
    case PY_BOOL:
        return "bool";
    case PY_POINTER:
        return "an address";
    default:
        return "of a type that is not known";
    }
}
