/* SPDX-License-Identifier: Apache-2.0 */
/* The checks on a GPU. */
#include "checks.h"

extern "C" __global__ void check(int number, double *values, unsigned int *count)
{
    *count = check_make(number, values);
}
