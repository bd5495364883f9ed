/* SPDX-License-Identifier: Apache-2.0 */
#include "show/header_scopes.h"

#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

enum entry_kind { ENTRY_NAMESPACE, ENTRY_TEMPLATE, ENTRY_CLASS };

/* A name that an object takes or is in. */
struct entry {
    char *path;
    enum entry_kind kind;
    struct header_object *object;
};

struct entries {
    struct entry *items;
    size_t count;
};

void header_scopes_arguments(struct buffer *text, const struct header_signature *signature)
{
    buffer_puts(text, "<");
    for (uint32_t i = 0; i < signature->argument_count; i++) {
        buffer_printf(text, "%s%s", i ? ", " : "", signature->arguments[i].text);
    }
    buffer_puts(text, ">");
}

static uint32_t count_before_pack(const struct header_signature *signature)
{
    uint32_t count = 0;
    while (count < signature->argument_count && !signature->arguments[count].in_pack) {
        count++;
    }
    return count;
}

bool header_scopes_same_template(const struct header_signature *a, const struct header_signature *b)
{
    uint32_t fixed = count_before_pack(a);
    if (a->has_pack != b->has_pack || fixed != count_before_pack(b)) {
        return false;
    }
    for (uint32_t i = 0; i < fixed; i++) {
        if (a->arguments[i].is_value != b->arguments[i].is_value) {
            return false;
        }
    }
    bool both_have_elements = a->argument_count > fixed && b->argument_count > fixed;
    return !both_have_elements || a->arguments[fixed].is_value == b->arguments[fixed].is_value;
}

static cubinet_status add(struct entries *entries, struct buffer *path, enum entry_kind kind,
                          struct header_object *object)
{
    char *text = buffer_take(path);
    struct entry *items = text ? reallocarray(entries->items, entries->count + 1, sizeof(*items)) : NULL;
    if (!items) {
        free(text);
        return cbn_error_memory();
    }
    entries->items = items;
    items[entries->count++] = (struct entry){text, kind, object};
    return CUBINET_OK;
}

static cubinet_status add_namespaces(struct entries *entries, struct header_object *object)
{
    const char *path = object->signature.path;
    cubinet_status status = CUBINET_OK;
    for (const char *end = strstr(path, "::"); !status && end; end = strstr(end + 2, "::")) {
        struct buffer text = {0};
        buffer_append(&text, path, (size_t)(end - path));
        status = add(entries, &text, ENTRY_NAMESPACE, object);
    }
    return status;
}

static cubinet_status add_object(struct entries *entries, struct header_object *object)
{
    struct buffer path = {0};
    object->is_first_instance = false;
    object->next_instance = NULL;
    if (object->is_flat) {
        buffer_puts(&path, object->flat);
        return add(entries, &path, ENTRY_CLASS, object);
    }
    cubinet_status status = add_namespaces(entries, object);
    if (!status && object->signature.is_template) {
        buffer_puts(&path, object->signature.path);
        status = add(entries, &path, ENTRY_TEMPLATE, object);
    }
    if (status) {
        return status;
    }
    buffer_puts(&path, object->signature.path);
    if (object->signature.is_template) {
        header_scopes_arguments(&path, &object->signature);
    }
    return add(entries, &path, ENTRY_CLASS, object);
}

static int compare(const void *a, const void *b)
{
    const struct entry *entry_a = a;
    const struct entry *entry_b = b;
    return strcmp(entry_a->path, entry_b->path);
}

static bool is_one_thing(const struct entry *entries, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (entries[i].kind != entries[0].kind || entries[i].kind == ENTRY_CLASS ||
            (entries[i].kind == ENTRY_TEMPLATE &&
             !header_scopes_same_template(&entries[0].object->signature, &entries[i].object->signature))) {
            return false;
        }
    }
    return true;
}

/* Lists the instances of a template. */
static void chain(const struct entry *entries, size_t count)
{
    struct header_object *first = entries[0].object;
    for (size_t i = 1; i < count; i++) {
        first = entries[i].object < first ? entries[i].object : first;
    }
    first->is_first_instance = true;
    for (size_t i = 0; i < count; i++) {
        if (entries[i].object != first) {
            entries[i].object->next_instance = first->next_instance;
            first->next_instance = entries[i].object;
        }
    }
}

/* Flattens those that take the name; if there are none left, those that are in it. False if that was done. */
static bool flatten(const struct entry *entries, size_t count)
{
    for (int with_namespaces = 0; with_namespaces < 2; with_namespaces++) {
        bool any = false;
        for (size_t i = 0; i < count; i++) {
            struct header_object *object = entries[i].object;
            if ((entries[i].kind != ENTRY_NAMESPACE || with_namespaces) && !object->is_flat) {
                object->is_flat = true;
                any = true;
            }
        }
        if (any) {
            return true;
        }
    }
    return false;
}

/* What clashes was flattened, perhaps because of another clash, unless nothing was: *out_again. */
static cubinet_status settle_entries(struct entries *entries, bool *out_again)
{
    const struct entry *left = NULL;
    *out_again = false;
    if (entries->count > 0) {
        qsort(entries->items, entries->count, sizeof(*entries->items), compare);
    }
    size_t same;
    for (size_t i = 0; i < entries->count; i += same) {
        const struct entry *first = &entries->items[i];
        for (same = 1; i + same < entries->count && compare(first, first + same) == 0; same++) {
        }
        if (is_one_thing(first, same)) {
            if (first->kind == ENTRY_TEMPLATE) {
                chain(first, same);
            }
        } else if (flatten(first, same)) {
            *out_again = true;
        } else {
            left = first;
        }
    }
    if (!left || *out_again) {
        return CUBINET_OK;
    }
    return cbn_error(CUBINET_ERROR_LIMIT,
                     "'%s' and '%s' would both be called %s in the header; give one of them another name",
                     left[0].object->subject->name, left[1].object->subject->name, left->path);
}

cubinet_status header_scopes_settle(struct header_object *objects, size_t count)
{
    cubinet_status status = CUBINET_OK;
    bool again = true;
    while (!status && again) {
        struct entries entries = {0};
        for (size_t i = 0; !status && i < count; i++) {
            status = add_object(&entries, &objects[i]);
        }
        if (!status) {
            status = settle_entries(&entries, &again);
        }
        for (size_t i = 0; i < entries.count; i++) {
            free(entries.items[i].path);
        }
        free(entries.items);
    }
    return status;
}
