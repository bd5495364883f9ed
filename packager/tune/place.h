/* SPDX-License-Identifier: Apache-2.0 */
/* Where in a JSON document a value is, for messages: "$.sets[0].arguments[2].elements". */
#ifndef PLACE_H
#define PLACE_H

#include <cubinet/status.h>

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct place {
    const struct place *parent; /* NULL: the document */
    const char *key;            /* of an object; NULL: an element of an array */
    size_t index;
};

/* CUBINET_ERROR_INVALID_ARGUMENT: the place, what was found there (NULL: nothing), and what was needed. */
cubinet_status place_fail(const struct place *place, const json_t *found, const char *needed);

/* Puts the place before the thread's message. */
cubinet_status place_context(const struct place *place, cubinet_status status);

/* A text without NULs, which belongs to the document. */
cubinet_status place_text(const struct place *place, const json_t *value, const char **out_text);

cubinet_status place_integer(const struct place *place, const json_t *value, int64_t least, int64_t most,
                             int64_t *out_number);
cubinet_status place_real(const struct place *place, const json_t *value, double *out_number);
cubinet_status place_flag(const struct place *place, const json_t *value, bool *out_flag);

/* One to three whole numbers from 1 on, or one that is in no array; the others are 1. */
cubinet_status place_sides(const struct place *place, const json_t *value, uint64_t most, uint64_t sides[3]);

/* Refuses members of an object that are not among the names, a list that ends with NULL, and names the
 * nearest. */
cubinet_status place_members(const struct place *place, const json_t *object, const char *const *names);

#endif
