/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/link_symbols.h"

#include "loader/core/names/readable.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

/* What the driver brings to every program. */
static const char *const from_system[] = {"__assertfail", "free", "malloc", "vprintf"};

/* A symbol and the piece that it is of. */
struct mention {
    const struct cbn_piece_symbol *symbol;
    const struct cbn_piece *piece;
};

/* All mentions, those of one name together, definitions first. */
struct mentions {
    struct mention *items;
    size_t count;
};

static int compare(const void *a, const void *b)
{
    const struct mention *left = a;
    const struct mention *right = b;
    int order = strcmp(left->symbol->name, right->symbol->name);
    if (order == 0) {
        order = right->symbol->is_defined - left->symbol->is_defined;
    }
    if (order == 0) {
        order = left->symbol->is_weak - right->symbol->is_weak;
    }
    return order ? order : (left->piece > right->piece) - (left->piece < right->piece);
}

static cubinet_status collect(const struct cbn_piece *pieces, size_t count, struct mentions *out_mentions)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        total += pieces[i].symbol_count;
    }
    struct mentions mentions = {.items = calloc(total + 1, sizeof(*mentions.items))};
    if (!mentions.items) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t s = 0; s < pieces[i].symbol_count; s++) {
            mentions.items[mentions.count++] = (struct mention){&pieces[i].symbols[s], &pieces[i]};
        }
    }
    qsort(mentions.items, mentions.count, sizeof(*mentions.items), compare);
    *out_mentions = mentions;
    return CUBINET_OK;
}

/* How many mentions from `first` on have its name. */
static size_t group_size(const struct mentions *mentions, size_t first)
{
    size_t size = 1;
    while (first + size < mentions->count &&
           strcmp(mentions->items[first].symbol->name, mentions->items[first + size].symbol->name) == 0) {
        size++;
    }
    return size;
}

static bool is_from_system(const char *name)
{
    for (size_t i = 0; i < sizeof(from_system) / sizeof(from_system[0]); i++) {
        if (strcmp(name, from_system[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* A symbol in a message: what a source calls it or c++filt, and in brackets the linker's name if that is
 * another. */
#define LABEL "'%s'%s%s%s"

struct label {
    struct cbn_readable *readable; /* that `called` is in; NULL: none */
    const char *called;
    const char *open, *name, *close;
};

static struct label label_of(const struct mention *group, size_t size)
{
    const char *name = group[0].symbol->name;
    for (size_t i = 0; i < size; i++) {
        const char *expression = group[i].symbol->expression;
        if (expression && strcmp(expression, name) != 0) {
            return (struct label){NULL, expression, " (", name, ")"};
        }
    }
    struct cbn_readable *readable = cbn_readable_new();
    const char *full = readable ? cbn_readable_full(readable, name) : NULL;
    return full ? (struct label){readable, full, " (", name, ")"}
                : (struct label){readable, name, "", "", ""};
}

/* Lets go of it, once the message is made; returns the status. */
static cubinet_status end_label(const struct label *label, cubinet_status status)
{
    cbn_readable_free(label->readable);
    return status;
}

static cubinet_status check_single(const struct mention *group, size_t size)
{
    bool is_doubled = size > 1 && group[1].symbol->is_defined && !group[1].symbol->is_weak;
    if (!is_doubled) {
        return CUBINET_OK;
    }
    struct label label = label_of(group, size);
    return end_label(&label, cbn_error(CUBINET_ERROR_LINK,
                                       LABEL " is defined twice: by %s and by %s; leave one of them out",
                                       label.called, label.open, label.name, label.close,
                                       group[0].piece->name, group[1].piece->name));
}

/* The linker would bring them together by name alone, and the code would read its arguments wrongly. */
static cubinet_status check_types(const struct mention *group, size_t size)
{
    const struct mention *typed = NULL;
    for (size_t i = 0; i < size; i++) {
        const char *type = group[i].symbol->type;
        if (!type[0]) {
            continue;
        }
        if (typed && strcmp(typed->symbol->type, type) != 0) {
            struct label label = label_of(group, size);
            return end_label(
                &label,
                cbn_error(CUBINET_ERROR_LINK,
                          LABEL " is %s in %s, which %s it, and %s in %s, which %s it: they have to agree",
                          label.called, label.open, label.name, label.close, typed->symbol->type,
                          typed->piece->name, typed->symbol->is_defined ? "defines" : "needs", type,
                          group[i].piece->name, group[i].symbol->is_defined ? "defines" : "needs"));
        }
        typed = &group[i];
    }
    return CUBINET_OK;
}

static bool is_missing(const struct mention *group)
{
    return !group[0].symbol->is_defined && !group[0].symbol->is_weak &&
           !is_from_system(group[0].symbol->name);
}

static cubinet_status check_group(const struct mention *group, size_t size, bool is_complete,
                                  const char **out_missing)
{
    if (is_complete && is_missing(group)) {
        struct label label = label_of(group, size);
        *out_missing = group[0].symbol->name;
        return end_label(
            &label, cbn_error(CUBINET_ERROR_LINK,
                              "nothing defines " LABEL ", which %s needs%s%s: add a piece that defines it",
                              label.called, label.open, label.name, label.close, group[0].piece->name,
                              group[0].symbol->type[0] ? " as " : "", group[0].symbol->type));
    }
    cubinet_status status = check_single(group, size);
    return status ? status : check_types(group, size);
}

cubinet_status cbn_symbols_check(const struct cbn_piece *pieces, size_t count, const char **out_missing)
{
    *out_missing = NULL;
    bool is_complete = true;
    for (size_t i = 0; i < count; i++) {
        is_complete = is_complete && pieces[i].symbols_complete;
    }
    struct mentions mentions;
    cubinet_status status = collect(pieces, count, &mentions);
    if (status) {
        return status;
    }
    for (size_t first = 0; first < mentions.count && !status;) {
        size_t size = group_size(&mentions, first);
        status = check_group(&mentions.items[first], size, is_complete, out_missing);
        first += size;
    }
    free(mentions.items);
    return status;
}

cubinet_status cbn_symbols_missing(const struct cbn_piece *pieces, size_t count,
                                   struct cbn_text_list *out_names)
{
    struct mentions mentions;
    struct cbn_text_list names = {0};
    cubinet_status status = collect(pieces, count, &mentions);
    if (status) {
        return status;
    }
    for (size_t first = 0; first < mentions.count; first += group_size(&mentions, first)) {
        if (is_missing(&mentions.items[first])) {
            cbn_text_list_add(&names, mentions.items[first].symbol->name);
        }
    }
    free(mentions.items);
    if (names.failed) {
        cbn_text_list_free(&names);
        return cbn_error_memory();
    }
    *out_names = names;
    return CUBINET_OK;
}
