// SPDX-License-Identifier: Apache-2.0
// A kernel that spends its time in calls of an operator: for link.sh, which compiles it
//   as it is     the operator is another fragment's, joined by a link with or without LTO
//   -DWHOLE      with the operator in the same source
//   -DPOINTER    with the operator behind a function pointer in device memory
// Each thread combines 8 values 128 times over.
#ifdef WHOLE
#include "../samples/fragments/operators/either.cu"
#elif defined(POINTER)
#include "../samples/fragments/operators/either.cu"
__device__ float (*combine_pointer)(float, float) = combine;
#define combine (*combine_pointer)
#else
#include "../samples/fragments/operator.h"
#endif

extern "C" __global__ void __launch_bounds__(256) fold(const float *in, float *out)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    float values[8];
    for (int j = 0; j < 8; j++) {
        values[j] = in[(i * 8 + j)];
    }
    float sum = identity();
    for (int round = 0; round < 128; round++) {
        for (int j = 0; j < 8; j++) {
            sum = combine(sum, values[j] * (1.0f / 4096));
        }
    }
    out[i] = sum;
}
