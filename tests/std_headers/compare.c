/* SPDX-License-Identifier: Apache-2.0 */
#include "compare.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

unsigned int expected_values(int check, double *values);

static const char *const names[] = {
#define CHECK_NAME(name) #name,
    CHECKS(CHECK_NAME)
#undef CHECK_NAME
};

/* Of results near 1, how much a float function of CUDA's may be off: its documentation allows some units in
 * the last place, and what is made of several functions adds up. */
static const double tolerance = 4e-6;

static bool is_same(double value, double expected, bool exact)
{
    if (value == expected || (isnan(value) && isnan(expected))) {
        return true;
    }
    return !exact && fabs(value - expected) <= tolerance * fmax(1, fabs(expected));
}

unsigned int compare_check(int check, const double *values, unsigned int count)
{
    static double expected[CHECK_MAX_VALUES];
    unsigned int expected_count = expected_values(check, expected);
    unsigned int wrong = count != expected_count || count > CHECK_MAX_VALUES;
    if (wrong) {
        printf("%s: %u values, and not %u (at most %d)\n", names[check], count, expected_count,
               CHECK_MAX_VALUES);
    }
    for (unsigned int i = 0; i < count && i < expected_count && i < CHECK_MAX_VALUES; i++) {
        if (!is_same(values[i], expected[i], CHECK_IS_EXACT(check))) {
            printf("%s: value %u is %.17g, and not %.17g\n", names[check], i, values[i], expected[i]);
            wrong++;
        }
    }
    printf("%s: %u values, %u wrong\n", names[check], count, wrong);
    return wrong;
}
