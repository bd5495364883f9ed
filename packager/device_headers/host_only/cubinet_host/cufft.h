// SPDX-License-Identifier: Apache-2.0
// The types of cuFFT.
#if !defined(CUBINET_HOST_CUFFT_H) && __cplusplus >= 201402L
#define CUBINET_HOST_CUFFT_H

#include <cuComplex.h>
#include <library_types.h>

typedef enum cufftResult_t { CUFFT_SUCCESS = 0x0, CUFFT_INVALID_PLAN = 0x1, CUFFT_ALLOC_FAILED = 0x2,
    CUFFT_INVALID_TYPE = 0x3, CUFFT_INVALID_VALUE = 0x4, CUFFT_INTERNAL_ERROR = 0x5, CUFFT_EXEC_FAILED = 0x6,
    CUFFT_SETUP_FAILED = 0x7, CUFFT_INVALID_SIZE = 0x8, CUFFT_UNALIGNED_DATA = 0x9, CUFFT_INVALID_DEVICE = 0xB,
    CUFFT_NO_WORKSPACE = 0xD, CUFFT_NOT_IMPLEMENTED = 0xE, CUFFT_NOT_SUPPORTED = 0x10, CUFFT_MISSING_DEPENDENCY =
    0x11, CUFFT_NVRTC_FAILURE = 0x12, CUFFT_NVJITLINK_FAILURE = 0x13, CUFFT_NVSHMEM_FAILURE = 0x14 } cufftResult;
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
typedef enum cufftType_t { CUFFT_R2C = 0x2a, CUFFT_C2R = 0x2c, CUFFT_C2C = 0x29, CUFFT_D2Z = 0x6a, CUFFT_Z2D = 0x6c,
    CUFFT_Z2Z = 0x69 } cufftType;
typedef enum cufftCompatibility_t { CUFFT_COMPATIBILITY_FFTW_PADDING = 0x01 } cufftCompatibility;
typedef int cufftHandle;
typedef enum cufftProperty_t { NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT = 0x1,
    NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS = 0x2 } cufftProperty;

#define CUFFT_FORWARD -1
#define CUFFT_INVERSE 1
#define CUFFT_PLAN_NULL -1
#define CUFFT_VERSION 12000
#define CUFFT_VER_BUILD 61
#define CUFFT_VER_MAJOR 12
#define CUFFT_VER_MINOR 0
#define CUFFT_VER_PATCH 0
#define MAX_CUFFT_ERROR 0x15

#endif
