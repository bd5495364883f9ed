/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/key_difference.h"

#include <stdbool.h>
#include <string.h>

static bool same_name(const struct cbn_cache_field *a, const struct cbn_cache_field *b)
{
    return a->name_size == b->name_size && memcmp(a->name, b->name, a->name_size) == 0;
}

static bool same_field(const struct cbn_cache_field *a, const struct cbn_cache_field *b)
{
    return same_name(a, b) && a->type == b->type && a->value_size == b->value_size &&
           memcmp(a->value, b->value, a->value_size) == 0;
}

/* How many fields before `end` are the same as this one. */
static size_t count_same(struct key_bytes key, size_t end, const struct cbn_cache_field *field)
{
    size_t count = 0;
    struct cbn_cache_field other;
    for (size_t at = 0; at < end && cbn_cache_key_next(key.bytes, key.size, &at, &other);) {
        count += same_field(field, &other);
    }
    return count;
}

/* Whether the field that lies before `end` has no counterpart: one field may be there several times. */
static bool is_alone(struct key_bytes key, size_t end, const struct cbn_cache_field *field,
                     struct key_bytes other)
{
    return count_same(key, end, field) > count_same(other, other.size, field);
}

static size_t count_alone(struct key_bytes a, struct key_bytes b)
{
    size_t count = 0;
    struct cbn_cache_field field;
    for (size_t at = 0; cbn_cache_key_next(a.bytes, a.size, &at, &field);) {
        count += is_alone(a, at, &field, b);
    }
    return count;
}

size_t key_difference_count(struct key_bytes a, struct key_bytes b)
{
    return count_alone(a, b) + count_alone(b, a);
}

const char *key_text(struct key_bytes key, const char *name, size_t *out_size)
{
    struct cbn_cache_field field;
    for (size_t at = 0; cbn_cache_key_next(key.bytes, key.size, &at, &field);) {
        if (field.name_size == strlen(name) && memcmp(field.name, name, field.name_size) == 0) {
            *out_size = field.value_size;
            return (const char *)field.value;
        }
    }
    return NULL;
}

/* Whether the other key has a field of that name, too, so that one line says of both. */
static bool has_name(struct key_bytes key, const struct cbn_cache_field *field)
{
    struct cbn_cache_field other;
    for (size_t at = 0; cbn_cache_key_next(key.bytes, key.size, &at, &other);) {
        if (same_name(field, &other)) {
            return true;
        }
    }
    return false;
}

static void print_field(const struct cbn_cache_field *field, const char *where, FILE *file)
{
    fprintf(file, "  %.*s", (int)field->name_size, field->name);
    if (field->type == CBN_CACHE_FIELD_TEXT) {
        fprintf(file, " '%.*s'", (int)field->value_size, (const char *)field->value);
    }
    fprintf(file, ": %s\n", where);
}

static void print_alone(struct key_bytes key, struct key_bytes other, const char *where, bool texts_alone,
                        FILE *file)
{
    struct cbn_cache_field field;
    for (size_t at = 0; cbn_cache_key_next(key.bytes, key.size, &at, &field);) {
        bool is_digest = field.type == CBN_CACHE_FIELD_BYTES && has_name(other, &field);
        if (!is_alone(key, at, &field, other) ||
            (field.type == CBN_CACHE_FIELD_NO_TEXT && has_name(other, &field))) {
            continue;
        }
        if (!is_digest) {
            print_field(&field, where, file);
        } else if (!texts_alone) {
            print_field(&field, "another", file);
        }
    }
}

void key_difference_print(struct key_bytes wanted, struct key_bytes kept, FILE *file)
{
    print_alone(wanted, kept, "not in the entry", false, file);
    print_alone(kept, wanted, "only in the entry", true, file);
}
