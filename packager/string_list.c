/* SPDX-License-Identifier: Apache-2.0 */
#include "string_list.h"

#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes over `text`, also on failure. */
static cubinet_status take(struct string_list *list, char *text)
{
    /* Room doubles at every power of two, so the count alone tells how much there is. */
    bool full = (list->count & (list->count + 1)) == 0;
    char **items = full ? reallocarray(list->items, 2 * list->count + 2, sizeof(*items)) : list->items;
    if (!text || !items) {
        free(text);
        return cbn_error_memory();
    }
    list->items = items;
    items[list->count++] = text;
    items[list->count] = NULL;
    return CUBINET_OK;
}

cubinet_status string_list_add(struct string_list *list, const char *text)
{
    return take(list, strdup(text));
}

cubinet_status string_list_addf(struct string_list *list, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    return take(list, length < 0 ? NULL : text);
}

bool string_list_has(const struct string_list *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i], text) == 0) {
            return true;
        }
    }
    return false;
}

cubinet_status string_list_add_once(struct string_list *list, const char *text)
{
    return string_list_has(list, text) ? CUBINET_OK : string_list_add(list, text);
}

void string_list_free(struct string_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i]);
    }
    free(list->items);
    *list = (struct string_list){0};
}
