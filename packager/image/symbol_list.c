/* SPDX-License-Identifier: Apache-2.0 */
#include "image/symbol_list.h"

#include "base/array.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

static void symbol_free(struct symbol *symbol)
{
    free(symbol->name);
    free(symbol->expression);
    free(symbol->type);
}

void symbol_list_free(struct symbol_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        symbol_free(&list->items[i]);
    }
    free(list->items);
    *list = (struct symbol_list){0};
}

/* False if memory is out; NULL is copied as NULL. */
static bool copy_text(const char *text, char **out_copy)
{
    *out_copy = text ? strdup(text) : NULL;
    return !text || *out_copy;
}

static bool symbol_copy(const struct symbol *symbol, struct symbol *out_copy)
{
    struct symbol copy = *symbol;
    bool copied = copy_text(symbol->name, &copy.name);
    copied = copy_text(symbol->expression, &copy.expression) && copied;
    copied = copy_text(symbol->type, &copy.type) && copied;
    if (!copied) {
        symbol_free(&copy);
        return false;
    }
    *out_copy = copy;
    return true;
}

cubinet_status symbol_list_add(struct symbol_list *list, const struct symbol *symbol)
{
    struct symbol *items = array_grow(list->items, list->count, sizeof(*items));
    if (!items) {
        return cbn_error_memory();
    }
    list->items = items;
    if (!symbol_copy(symbol, &list->items[list->count])) {
        return cbn_error_memory();
    }
    list->count++;
    return CUBINET_OK;
}

cubinet_status symbol_list_copy(const struct symbol_list *from, struct symbol_list *to)
{
    to->is_recorded = from->is_recorded;
    to->is_complete = from->is_complete;
    for (size_t i = 0; i < from->count; i++) {
        cubinet_status status = symbol_list_add(to, &from->items[i]);
        if (status) {
            symbol_list_free(to);
            return status;
        }
    }
    return CUBINET_OK;
}

static int compare(const void *a, const void *b)
{
    const struct symbol *left = a;
    const struct symbol *right = b;
    if (left->is_defined != right->is_defined) {
        return left->is_defined ? -1 : 1;
    }
    return strcmp(left->name, right->name);
}

void symbol_list_sort(struct symbol_list *list)
{
    if (list->count > 1) {
        qsort(list->items, list->count, sizeof(*list->items), compare);
    }
}

struct symbol *symbol_list_find(const struct symbol_list *list, const char *name)
{
    struct symbol wanted = {.name = (char *)name, .is_defined = true}; /* which is only read */
    struct symbol *found = NULL;
    if (list->count > 0) {
        found = bsearch(&wanted, list->items, list->count, sizeof(*list->items), compare);
        wanted.is_defined = false;
        found = found ? found : bsearch(&wanted, list->items, list->count, sizeof(*list->items), compare);
    }
    return found;
}

void symbol_list_drop_weak_variables(struct symbol_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        struct symbol *symbol = &list->items[i];
        if (symbol->is_weak && symbol->is_variable && symbol->is_defined && !symbol->expression) {
            symbol_free(symbol);
        } else {
            list->items[kept++] = *symbol;
        }
    }
    list->count = kept;
}

size_t symbol_list_defined(const struct symbol_list *list)
{
    size_t count = 0;
    while (count < list->count && list->items[count].is_defined) {
        count++;
    }
    return count;
}

static cubinet_status read_symbol(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                  uint32_t number, struct symbol_list *list)
{
    cubinet_symbol_info info = {.size = sizeof(info)};
    cubinet_status status = cubinet_archive_get_symbol(archive, module, image, number, &info);
    if (status) {
        return status;
    }
    /* The library's strings are constant, the list's are its own: they are only copied from here. */
    const struct symbol symbol = {
        .name = (char *)info.name,
        .expression = info.expression == info.name ? NULL : (char *)info.expression,
        .type = info.type[0] ? (char *)info.type : NULL,
        .is_defined = (info.flags & CUBINET_SYMBOL_DEFINED) != 0,
        .is_weak = (info.flags & CUBINET_SYMBOL_WEAK) != 0,
        .is_variable = (info.flags & CUBINET_SYMBOL_VARIABLE) != 0,
    };
    return symbol_list_add(list, &symbol);
}

cubinet_status symbol_list_read(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                const cubinet_image_info *info, struct symbol_list *out_list)
{
    struct symbol_list list = {
        .is_recorded = (info->flags & CUBINET_IMAGE_IS_PIECE) != 0,
        .is_complete = (info->flags & CUBINET_IMAGE_SYMBOLS_COMPLETE) != 0,
    };
    uint32_t count = info->defined_count + info->needed_count;
    for (uint32_t i = 0; i < count; i++) {
        cubinet_status status = read_symbol(archive, module, image, i, &list);
        if (status) {
            symbol_list_free(&list);
            return status;
        }
    }
    *out_list = list;
    return CUBINET_OK;
}
