// SPDX-License-Identifier: Apache-2.0
// printf and assert.
#include <assert.h>
#include <stdio.h>

extern "C" __global__ void print_values(const int *values, int count)
{
    int i = threadIdx.x;
    if (i < count) {
        printf("value %d is %d, half of it %.1f, %s\n", i, values[i], values[i] / 2.0, values[i] % 2 ? "odd" : "even");
    }
}

extern "C" __global__ void assert_positive(const int *values, int count)
{
    int i = threadIdx.x;
    assert(i >= count || values[i] > 0);
}
