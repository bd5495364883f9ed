/* SPDX-License-Identifier: Apache-2.0 */
/* The algorithms and operators again, on the CPU in double precision. */
#ifndef FRAGMENTS_REFERENCE_H
#define FRAGMENTS_REFERENCE_H

/* The product wants a square b. */
enum { ROWS = 300, COLUMNS = 270, ELEMENTS = ROWS * COLUMNS };

struct problem {
    float a[ELEMENTS];
    float b[ELEMENTS];
    float out[ELEMENTS]; /* of the GPU */
};

/* Values near 1, so that products of thousands of them stay in range. */
void problem_fill(struct problem *problem);

/* How many of the results differ from the CPU's by more than rounding explains. */
int reference_wrong(const struct problem *problem, const char *algorithm, const char *operator);

#endif
