/* SPDX-License-Identifier: Apache-2.0 */
/* A growing list of strings of its own. */
#ifndef STRING_LIST_H
#define STRING_LIST_H

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>

struct string_list {
    char **items; /* NULL after the last, once anything was added */
    size_t count;
};

/* Adds a copy of `text`, or of what the format makes. Zero-initialise to start. */
cubinet_status string_list_add(struct string_list *list, const char *text);
__attribute__((format(printf, 2, 3))) cubinet_status string_list_addf(struct string_list *list,
                                                                      const char *format, ...);

bool string_list_has(const struct string_list *list, const char *text);

/* As string_list_add, unless the list has it already. */
cubinet_status string_list_add_once(struct string_list *list, const char *text);

void string_list_free(struct string_list *list);

#endif
