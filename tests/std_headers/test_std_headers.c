/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the headers for device code, run on the host, with the host's own standard library. */
#include "compare.h"

#include <stdio.h>
#include <stdlib.h>

unsigned int shipped_values(int check, double *values);

int main(void)
{
    static double shipped[CHECK_MAX_VALUES];
    unsigned int wrong = 0;
    for (int check = 0; check < CHECK_COUNT; check++) {
        unsigned int count = shipped_values(check, shipped);
        wrong += compare_check(check, shipped, count);
    }
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
