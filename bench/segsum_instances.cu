// SPDX-License-Identifier: Apache-2.0
// The sample's kernel as nvcc needs it: with explicit instances.
#include "../samples/segmented_sum/segsum.cu"

template __global__ void segsum<float, int, 256, 4>(const float *, const int *, float *);
template __global__ void segsum<double, int, 128, 4>(const double *, const int *, double *);
