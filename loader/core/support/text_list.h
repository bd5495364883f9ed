/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of strings. */
#ifndef CBN_TEXT_LIST_H
#define CBN_TEXT_LIST_H

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>

/* Zero-initialise to start. */
struct cbn_text_list {
    char **items; /* NULL after the last, once anything was added */
    size_t count;
    bool failed; /* memory ran out, and a string was lost */
};

void cbn_text_list_free(struct cbn_text_list *list);

/* Add a copy of `text`, or of what the format makes. Running out of memory shows in `failed` as well, for
 * those who look once, at the end. */
cubinet_status cbn_text_list_add(struct cbn_text_list *list, const char *text);
__attribute__((format(printf, 2, 3))) cubinet_status cbn_text_list_addf(struct cbn_text_list *list,
                                                                        const char *format, ...);

/* As cbn_text_list_add, unless the list has it already. */
cubinet_status cbn_text_list_add_once(struct cbn_text_list *list, const char *text);

/* Copies an array of strings; `what` is for the message about a NULL in it. */
cubinet_status cbn_text_list_copy(const char *const *texts, size_t count, const char *what,
                                  struct cbn_text_list *out_list);

bool cbn_text_list_has(const struct cbn_text_list *list, const char *text);

/* Takes every string that is equal out of the list. Whether there was one. */
bool cbn_text_list_remove(struct cbn_text_list *list, const char *text);

#endif
