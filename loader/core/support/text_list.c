/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/support/text_list.h"

#include "loader/core/support/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cbn_text_list_free(struct cbn_text_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i]);
    }
    free(list->items);
    *list = (struct cbn_text_list){0};
}

/* Takes `text` over; NULL: there was no memory for it. */
static cubinet_status take(struct cbn_text_list *list, char *text)
{
    /* Room doubles at every power of two, so the count alone tells how much there is. */
    bool full = (list->count & (list->count + 1)) == 0;
    char **items = full ? reallocarray(list->items, 2 * list->count + 2, sizeof(*items)) : list->items;
    list->items = items ? items : list->items;
    if (!text || !items) {
        free(text);
        list->failed = true;
        return cbn_error_memory();
    }
    items[list->count++] = text;
    items[list->count] = NULL;
    return CUBINET_OK;
}

cubinet_status cbn_text_list_add(struct cbn_text_list *list, const char *text)
{
    return take(list, strdup(text));
}

cubinet_status cbn_text_list_add_once(struct cbn_text_list *list, const char *text)
{
    return cbn_text_list_has(list, text) ? CUBINET_OK : cbn_text_list_add(list, text);
}

cubinet_status cbn_text_list_addf(struct cbn_text_list *list, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0) {
        text = NULL;
    }
    va_end(args);
    return take(list, text);
}

cubinet_status cbn_text_list_copy(const char *const *texts, size_t count, const char *what,
                                  struct cbn_text_list *out_list)
{
    struct cbn_text_list list = {0};
    if (count > 0 && !texts) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s: the count is %zu, but the array is NULL", what,
                         count);
    }
    for (size_t i = 0; i < count; i++) {
        if (!texts[i] || !texts[i][0]) {
            cbn_text_list_free(&list);
            return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s: number %zu is %s", what, i,
                             texts[i] ? "empty" : "NULL");
        }
        cbn_text_list_add(&list, texts[i]);
    }
    if (list.failed) {
        cbn_text_list_free(&list);
        return cbn_error_memory();
    }
    *out_list = list;
    return CUBINET_OK;
}

bool cbn_text_list_has(const struct cbn_text_list *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i], text) == 0) {
            return true;
        }
    }
    return false;
}

bool cbn_text_list_remove(struct cbn_text_list *list, const char *text)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i], text) == 0) {
            free(list->items[i]);
        } else {
            list->items[kept++] = list->items[i];
        }
    }
    bool found = kept < list->count;
    list->count = kept;
    if (list->items) {
        list->items[kept] = NULL;
    }
    return found;
}
