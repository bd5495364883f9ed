/* SPDX-License-Identifier: Apache-2.0 */
/* The names that expressions of a description may use, and what they stand for. */
#ifndef NAMES_H
#define NAMES_H

#include "tune/description.h"

/* What is known when an expression is evaluated; each stage has the names of those before it. */
enum names_stage {
    NAMES_EXTENT,   /* extent.x extent.y extent.z device.multiprocessors: arguments */
    NAMES_INSTANCE, /* and the instance's values: blocks, elements of a thread */
    NAMES_BLOCK,    /* and block.x block.y block.z threads: the grid's rule and limit, cluster */
    NAMES_GRID,     /* and elements.x elements.y elements.z (the rule's value) grid.x grid.y grid.z: shared
                     * memory */
    NAMES_ALL,      /* and shared cluster.x cluster.y cluster.z: restrictions */
};

/* Adds the names of these stages with the value 1, for checks. instance: NULL for none */
cubinet_status names_add(struct expression_values *values, enum names_stage stage,
                         const struct tune_instance *instance);

/* Sets PREFIX.x, PREFIX.y and PREFIX.z. */
cubinet_status names_set_sides(struct expression_values *values, const char *prefix, const uint64_t sides[3]);

/* A number without its fraction, or the nearest that 64 bits hold. */
int64_t names_whole(double number);

/* The value of a number or an expression: a whole number. CUBINET_ERROR_LIMIT outside of the bounds. */
cubinet_status names_evaluate(const struct tune_value *value, const struct expression_values *values,
                              int64_t least, int64_t most, int64_t *out_number);

#endif
