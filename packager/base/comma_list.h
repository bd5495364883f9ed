/* SPDX-License-Identifier: Apache-2.0 */
/* nvcc's lists: `-I one,two`. A comma that belongs to a value is written as `\,`. */
#ifndef COMMA_LIST_H
#define COMMA_LIST_H

#include "loader/core/support/text_list.h"

/* Adds the values of a list. */
cubinet_status comma_list_split(const char *text, struct cbn_text_list *out_values);

/* The same for paths: one that is there stays whole, whatever is in its name. */
cubinet_status comma_list_split_paths(const char *text, struct cbn_text_list *out_values);

/* The same for macros: a comma that can only be a part of the value, as in LIMITS=1,2, stays one. What is
 * after it is a macro of its own if it has a value (X=1,Y=2), or if what is before it has none (X,Y). */
cubinet_status comma_list_split_macros(const char *text, struct cbn_text_list *out_values);

#endif
