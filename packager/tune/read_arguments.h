/* SPDX-License-Identifier: Apache-2.0 */
/* The "arguments" of a description's set. */
#ifndef READ_ARGUMENTS_H
#define READ_ARGUMENTS_H

#include "tune/description.h"
#include "tune/place.h"

cubinet_status read_arguments(const struct place *place, const json_t *list, struct tune_set *set);
void argument_free(struct tune_argument *argument);

#endif
