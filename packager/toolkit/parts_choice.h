/* SPDX-License-Identifier: Apache-2.0 */
/* Whether kernels are assembled and filed apart: --parts of `cubinet compile` and `cubinet link`. */
#ifndef PARTS_CHOICE_H
#define PARTS_CHOICE_H

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>

enum parts_choice {
    PARTS_AUTO, /* in a large module */
    PARTS_EACH,
    PARTS_NONE
};

/* The value of --parts. CUBINET_ERROR_INVALID_ARGUMENT unless it is each, auto or none. */
cubinet_status parts_choice_read(const char *value, enum parts_choice *out_choice);

/* Whether PTX of that size is to be split if it can be. */
bool parts_are_wanted(enum parts_choice choice, size_t size);

/* Why PTX of that size stays whole though it splits into `count` parts, for people; NULL: it is split. */
const char *parts_find_reason(enum parts_choice choice, size_t size, size_t count);

#endif
