/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, expressions and lists of them in a description. */
#ifndef READ_VALUES_H
#define READ_VALUES_H

#include "tune/description.h"
#include "tune/names.h"
#include "tune/place.h"

/* A whole number or an expression of these names. */
cubinet_status read_value(const struct place *place, const json_t *value,
                          const struct expression_values *names, struct tune_value *out_value);

/* The same, or a number with a fraction. */
cubinet_status read_real(const struct place *place, const json_t *value,
                         const struct expression_values *names, struct tune_value *out_value);

/* An array of values. */
cubinet_status read_values(const struct place *place, const json_t *list,
                           const struct expression_values *names, struct tune_texts *out_values);

/* What a launch has: "block", one of "elements_per_thread", "elements_per_block", "tile" and "grid", and
 * "grid_limit", "dynamic_shared_bytes" and "cluster". Of a list of candidates each is an array of
 * alternatives; otherwise it is one. */
cubinet_status read_choices(const struct place *place, const json_t *object, bool is_list,
                            const struct tune_instance *instance, struct tune_choices *out_choices);

void choices_free(struct tune_choices *choices);
void texts_free(struct tune_texts *texts);

#endif
