// SPDX-License-Identifier: Apache-2.0
// cuFFT's names of numbers, which kernels use, too. The rest is for host code.
#ifndef CUBINET_CUFFT_H
#define CUBINET_CUFFT_H

#include <cuComplex.h>

typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;

#endif
