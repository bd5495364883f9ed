/* SPDX-License-Identifier: Apache-2.0 */
#include "show/header_names.h"

#include "base/c_text.h"
#include "loader/core/archive/digest.h"
#include "loader/core/support/error.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void append_digest(struct buffer *text, const char *lowered)
{
    enum { BYTES = 4 };
    struct cbn_digest digest = cbn_digest(lowered, strlen(lowered));
    buffer_puts(text, "_");
    for (size_t i = 0; i < BYTES; i++) {
        buffer_printf(text, "%02x", digest.bytes[i]);
    }
}

void header_own_identifier(struct buffer *text, const struct header_subject *subject)
{
    c_text_identifier(text, subject->name);
    if (subject->digested) {
        append_digest(text, subject->lowered);
    }
}

static void append_parts(struct buffer *text, const struct header_subject *subject)
{
    if (!subject->parent) {
        buffer_puts(text, subject->name);
        return;
    }
    append_parts(text, subject->parent);
    size_t before = text->size;
    buffer_puts(text, "_");
    c_text_identifier(text, subject->name);
    if (!text->failed && text->size == before + 1) {
        text->size = before; /* nothing of the name can stand in an identifier */
    }
    if (subject->digested) {
        append_digest(text, subject->lowered);
    }
}

void header_identifier(struct buffer *text, const struct header_subject *subject, enum header_case letters,
                       const char *suffix)
{
    size_t start = text->size;
    append_parts(text, subject);
    for (size_t i = start; letters == HEADER_UPPER && !text->failed && i < text->size; i++) {
        text->data[i] = (char)toupper((unsigned char)text->data[i]);
    }
    buffer_puts(text, suffix);
}

cubinet_status header_names_add(struct header_names *names, char *identifier, struct header_subject *subject)
{
    struct header_name *items =
        identifier ? reallocarray(names->items, names->count + 1, sizeof(*items)) : NULL;
    if (!items) {
        free(identifier);
        return cbn_error_memory();
    }
    names->items = items;
    items[names->count++] = (struct header_name){identifier, subject};
    return CUBINET_OK;
}

static int compare(const void *a, const void *b)
{
    const struct header_name *name_a = a;
    const struct header_name *name_b = b;
    return strcmp(name_a->identifier, name_b->identifier);
}

static int depth(const struct header_subject *subject)
{
    return subject->parent ? 1 + depth(subject->parent) : 0;
}

/* Marks some of those that have the same identifier: the deepest subjects give way, since fewest names depend
 * on them. False if a digest did not help before. */
static bool mark_clash(const struct header_name *names, size_t count)
{
    int deepest = 0;
    for (size_t i = 0; i < count; i++) {
        int own = depth(names[i].subject);
        deepest = own > deepest ? own : deepest;
    }
    bool marked = false;
    for (size_t i = 0; i < count; i++) {
        struct header_subject *subject = names[i].subject;
        if (subject->parent && depth(subject) == deepest && !subject->digested) {
            subject->clashes = true;
            marked = true;
        }
    }
    return marked;
}

/* How many names from the first one on are the same as it. */
static size_t count_same(const struct header_name *names, size_t count)
{
    size_t same = 1;
    while (same < count && compare(&names[0], &names[same]) == 0) {
        same++;
    }
    return same;
}

static bool digest_marked(const struct header_names *names)
{
    bool any = false;
    for (size_t i = 0; i < names->count; i++) {
        struct header_subject *subject = names->items[i].subject;
        any |= subject->clashes;
        subject->digested |= subject->clashes;
        subject->clashes = false;
    }
    return any;
}

cubinet_status header_names_check(struct header_names *names, bool *out_again)
{
    if (names->count > 0) {
        qsort(names->items, names->count, sizeof(*names->items), compare);
    }
    size_t same;
    for (size_t i = 0; i < names->count; i += same) {
        const struct header_name *first = &names->items[i];
        same = count_same(first, names->count - i);
        if (same > 1 && !mark_clash(first, same)) {
            return cbn_error(CUBINET_ERROR_LIMIT,
                             "'%s' and '%s' would both be called %s in the header; give one of them another "
                             "name",
                             first[0].subject->name, first[1].subject->name, first->identifier);
        }
    }
    *out_again = digest_marked(names);
    return CUBINET_OK;
}

void header_names_free(struct header_names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        free(names->items[i].identifier);
    }
    free(names->items);
    *names = (struct header_names){0};
}
