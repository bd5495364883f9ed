// SPDX-License-Identifier: Apache-2.0
// The toolkit's <cuda.h>, whose types kernels use, such as CUtensorMap. This folder is searched before the toolkit's.
// clang-format off
#ifndef CUBINET_CUDA_H
#define CUBINET_CUDA_H

// NVRTC takes functions without annotation for host code and refuses the header. All of them return a CUresult, so
// that is where they get their annotation. It has no place before parameters, of which three are of this type: those
// declarations are replaced. What follows the name of the callback's type is the argument of two macros.
#define CUresult                           __attribute__((device)) CUresult
#define cuGetErrorString(error, text)      cuGetErrorString(int, const char **)
#define cuGetErrorName(error, text)        cuGetErrorName(int, const char **)
#define CUstreamCallback                   CUstreamCallback)(CUstream, int, void *); _CUBINET_CLOSE(
#define cuStreamAddCallback(...)           cuStreamAddCallback(CUstream, void *, void *, unsigned int)
#define cuStreamAddCallback_ptsz(...)      cuStreamAddCallback_ptsz(CUstream, void *, void *, unsigned int)
#define _CUBINET_CLOSE()                   _CUBINET_SKIP
#define _CUBINET_SKIP(...)

#include_next <cuda.h>

#undef CUresult
#undef cuGetErrorString
#undef cuGetErrorName
#undef CUstreamCallback
#undef cuStreamAddCallback_ptsz
#ifndef CUDA_API_PER_THREAD_DEFAULT_STREAM // it is defined by the header then
#undef cuStreamAddCallback
#endif
#undef _CUBINET_CLOSE
#undef _CUBINET_SKIP

#endif
