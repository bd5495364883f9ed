/* SPDX-License-Identifier: Apache-2.0 */
#include "show/header_record.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool same_hidden(const cubinet_launch_record *a, const cubinet_launch_record *b)
{
    bool is_same = a->hidden_count == b->hidden_count;
    for (uint32_t i = 0; is_same && i < a->hidden_count; i++) {
        is_same = a->hidden[i].param == b->hidden[i].param;
    }
    return is_same;
}

static void add_record(struct header_record *all, const cubinet_launch_record *record)
{
    if (!all->is_read) {
        all->record = *record;
        all->is_read = true;
        return;
    }
    all->hidden_differ |= !same_hidden(&all->record, record);
    all->bytes_differ |= all->record.dynamic_shared_bytes != record->dynamic_shared_bytes;
    all->block_differs |= memcmp(all->record.block, record->block, sizeof(record->block)) != 0;
    all->record.flags |= record->flags;
    if (!all->record.param_name_count) {
        all->record.param_name_count = record->param_name_count;
        all->record.param_names = record->param_names;
    }
}

cubinet_status header_record_read(const cubinet_archive *archive, const struct listing_module *module,
                                  uint32_t kernel, struct header_record *out_record)
{
    struct header_record all = {.record = {.dynamic_shared_bytes = CUBINET_UNKNOWN}};
    for (uint32_t i = 0; i < module->image_count; i++) {
        bool held = false;
        cubinet_kernel_resources resources;
        cubinet_launch_record record = {.size = sizeof(record)};
        cubinet_status status = listing_resources(archive, module, i, kernel, &resources, &held);
        if (!status && held) {
            status = cubinet_archive_get_launch_record(archive, module->number, i, kernel, &record);
        }
        if (status) {
            return status;
        }
        if (held) {
            add_record(&all, &record);
        }
    }
    *out_record = all;
    return CUBINET_OK;
}

bool header_record_hides(const struct header_record *record, uint32_t param)
{
    for (uint32_t i = 0; i < record->record.hidden_count; i++) {
        if (record->record.hidden[i].param == param) {
            return true;
        }
    }
    return false;
}

/* The words of a type: how often each of these stands in it. */
enum word {
    WORD_CONST,
    WORD_VOLATILE,
    WORD_RESTRICT,
    WORD_UNSIGNED,
    WORD_SIGNED,
    WORD_SHORT,
    WORD_LONG,
    WORD_INT,
    WORD_CHAR,
    WORD_BOOL,
    WORD_FLOAT,
    WORD_DOUBLE,
    WORD_VOID,
    WORDS
};

static const char *const words[WORDS] = {"const", "volatile", "__restrict__", "unsigned", "signed",
                                         "short", "long",     "int",          "char",     "bool",
                                         "float", "double",   "void"};

/* Names of one word, and what they are on every system that libcubinet runs on. */
static const struct {
    const char *name;
    const char *type;
} names[] = {
    {"int8_t", "signed char"},   {"uint8_t", "unsigned char"},
    {"int16_t", "short"},        {"uint16_t", "unsigned short"},
    {"int32_t", "int"},          {"uint32_t", "unsigned int"},
    {"int64_t", "long"},         {"uint64_t", "unsigned long"},
    {"size_t", "unsigned long"},
};

struct parsed {
    unsigned counts[WORDS];
    const char *name;  /* of `names`; NULL: none */
    unsigned unknown;  /* words that are none of these */
    unsigned pointers; /* stars */
    bool is_const;     /* what the first star points to */
    bool is_volatile;
};

static void add_word(struct parsed *parsed, const char *word, size_t size)
{
    for (size_t i = 0; i < WORDS; i++) {
        if (strlen(words[i]) == size && memcmp(words[i], word, size) == 0) {
            parsed->counts[i]++;
            return;
        }
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strlen(names[i].name) == size && memcmp(names[i].name, word, size) == 0 && !parsed->name) {
            parsed->name = names[i].type;
            return;
        }
    }
    parsed->unknown++;
}

static struct parsed parse(const char *text)
{
    struct parsed parsed = {.unknown = 0};
    while (*text) {
        size_t size = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        if (size > 0) {
            add_word(&parsed, text, size);
            text += size;
        } else if (*text == '*') {
            if (parsed.pointers++ == 0) {
                parsed.is_const = parsed.counts[WORD_CONST] > 0;
                parsed.is_volatile = parsed.counts[WORD_VOLATILE] > 0;
            }
            text++;
        } else {
            parsed.unknown += !isspace((unsigned char)*text);
            text++;
        }
    }
    return parsed;
}

static bool is_alone(const struct parsed *parsed, enum word word)
{
    for (size_t i = WORD_UNSIGNED; i < WORDS; i++) {
        if (i == (size_t)word ? parsed->counts[i] != 1 : parsed->counts[i] != 0) {
            return false;
        }
    }
    return true;
}

/* The integers, whose words stand in any order. NULL: it is none */
static const char *integer(const struct parsed *parsed)
{
    const unsigned *counts = parsed->counts;
    bool is_unsigned = counts[WORD_UNSIGNED] == 1;
    bool is_signed = counts[WORD_SIGNED] == 1;
    unsigned others = counts[WORD_BOOL] + counts[WORD_FLOAT] + counts[WORD_DOUBLE] + counts[WORD_VOID];
    if (others || counts[WORD_UNSIGNED] + counts[WORD_SIGNED] > 1 || counts[WORD_INT] > 1) {
        return NULL;
    }
    unsigned sizes = counts[WORD_SHORT] + counts[WORD_LONG] + counts[WORD_CHAR];
    if (counts[WORD_CHAR] == 1 && sizes == 1 && !counts[WORD_INT]) {
        return is_unsigned ? "unsigned char" : is_signed ? "signed char" : "char";
    }
    if (counts[WORD_SHORT] == 1 && sizes == 1) {
        return is_unsigned ? "unsigned short" : "short";
    }
    if (counts[WORD_LONG] == 1 && sizes == 1) {
        return is_unsigned ? "unsigned long" : "long";
    }
    if (counts[WORD_LONG] == 2 && sizes == 2) {
        return is_unsigned ? "unsigned long long" : "long long";
    }
    return sizes == 0 && (is_unsigned || is_signed || counts[WORD_INT])
               ? (is_unsigned ? "unsigned int" : "int")
               : NULL;
}

/* What it is but for qualifiers and stars; NULL: nothing that C names. */
static const char *base_of(const struct parsed *parsed)
{
    static const enum word alone[] = {WORD_BOOL, WORD_FLOAT, WORD_DOUBLE, WORD_VOID};
    if (parsed->unknown) {
        return NULL;
    }
    if (parsed->name) {
        return is_alone(parsed, WORDS) ? parsed->name : NULL;
    }
    for (size_t i = 0; i < sizeof(alone) / sizeof(alone[0]); i++) {
        if (is_alone(parsed, alone[i])) {
            return words[alone[i]];
        }
    }
    return integer(parsed);
}

static uint32_t bytes_of(const char *number)
{
    return strcmp(number, "bool") == 0 || strstr(number, "char")           ? 1
           : strstr(number, "short")                                       ? 2
           : strstr(number, "long") || strcmp(number, "double") == 0       ? 8
           : strcmp(number, "float") == 0 || strstr(number, "int") != NULL ? 4
                                                                           : 0;
}

struct header_type header_recorded_type(const char *text, uint32_t bytes)
{
    struct header_type type = {.kind = HEADER_TYPE_SIZED, .bytes = bytes};
    struct parsed parsed = parse(text);
    const char *base = base_of(&parsed);
    if (parsed.pointers > 0 && bytes == sizeof(uint64_t)) {
        type.kind = base && parsed.pointers == 1 ? HEADER_TYPE_POINTER : HEADER_TYPE_OBJECT;
        type.is_const = parsed.is_const;
        type.is_volatile = parsed.is_volatile;
    } else if (parsed.pointers == 0 && base && bytes_of(base) == bytes) {
        type.kind = HEADER_TYPE_NUMBER;
    }
    if (type.kind == HEADER_TYPE_NUMBER || type.kind == HEADER_TYPE_POINTER) {
        snprintf(type.text, sizeof(type.text), "%s", base);
    }
    return type;
}
