// SPDX-License-Identifier: Apache-2.0
// What every source has without an #include, because nvcc includes <cuda_runtime.h> before it, and that the host's C
// headers. Included before the source. What is included from here is named by where it lies, so that no folder of the
// source's is searched for it, on which the source would depend.
#ifndef CUBINET_STD_IMPLICIT_H
#define CUBINET_STD_IMPLICIT_H

#if __cplusplus >= 201402L

#include "../climits"
#include "../cmath"
#include "../cstdlib"
#include "../cstring"
#include "../ctime"

// Those of glibc's <sys/types.h>.
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

#endif

#endif
