/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a launch's results are right. */
#ifndef RESULTS_H
#define RESULTS_H

#include "tune/description.h"

#include <stdbool.h>

/* How far from each other numbers of a floating-point type may be: |found - right| <= absolute + relative *
 * |right|. Two NaNs are equal, and so are two infinities of a sign. Other types have to be equal. */
struct tolerance {
    double absolute;
    double relative;
};

/* The first value that is wrong. */
struct difference {
    size_t index;
    char found[40];
    char right[40];
};

bool results_agree(enum tune_type type, const void *found, const void *right, size_t count,
                   const struct tolerance *tolerance, struct difference *out_difference);

#endif
