// SPDX-License-Identifier: Apache-2.0
// Names of cuda::std that sources use without an #include: their code for NVRTC, which they tried with another release or
// not at all. It costs 0.2 s, so only one that does not compile without it gets it.
#ifndef CUBINET_STD_CUDA_STD_NAMES_H
#define CUBINET_STD_CUDA_STD_NAMES_H

#if __cplusplus >= 201703L && __has_include(<cuda/std/cmath>)
#include <cuda/std/cmath>
#include <cuda/std/cstdlib>
#endif

#endif
