// SPDX-License-Identifier: Apache-2.0
// The types of NCCL.
#if !defined(CUBINET_HOST_NCCL_H) && __cplusplus >= 201402L
#define CUBINET_HOST_NCCL_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ncclComm* ncclComm_t;
typedef struct ncclWindow_vidmem* ncclWindow_t;
typedef struct { char internal[128]; } ncclUniqueId;
typedef enum { ncclSuccess = 0, ncclUnhandledCudaError = 1, ncclSystemError = 2, ncclInternalError = 3,
    ncclInvalidArgument = 4, ncclInvalidUsage = 5, ncclRemoteError = 6, ncclInProgress = 7, ncclNumResults = 8 }
    ncclResult_t;
typedef struct ncclConfig_v22800 { size_t size; unsigned int magic; unsigned int version; int blocking; int
    cgaClusterSize; int minCTAs; int maxCTAs; const char *netName; int splitShare; int trafficClass; const char
    *commName; int collnetEnable; int CTAPolicy; int shrinkShare; int nvlsCTAs; int nChannelsPerNetPeer; int
    nvlinkCentricSched; } ncclConfig_t;
typedef struct ncclSimInfo_v22200 { size_t size; unsigned int magic; unsigned int version; float estimatedTime; }
    ncclSimInfo_t;
typedef enum { ncclNumOps_dummy = 5 } ncclRedOp_dummy_t;
typedef enum { ncclSum = 0, ncclProd = 1, ncclMax = 2, ncclMin = 3, ncclAvg = 4, ncclNumOps = 5, ncclMaxRedOp =
    0x7fffffff>>(32-8*sizeof(ncclRedOp_dummy_t)) } ncclRedOp_t;
typedef enum { ncclInt8 = 0, ncclChar = 0, ncclUint8 = 1, ncclInt32 = 2, ncclInt = 2, ncclUint32 = 3, ncclInt64 = 4,
    ncclUint64 = 5, ncclFloat16 = 6, ncclHalf = 6, ncclFloat32 = 7, ncclFloat = 7, ncclFloat64 = 8, ncclDouble = 8,
    ncclBfloat16 = 9, ncclFloat8e4m3 = 10, ncclFloat8e5m2 = 11, ncclNumTypes = 12 } ncclDataType_t;
typedef enum { ncclScalarDevice = 0, ncclScalarHostImmediate = 1 } ncclScalarResidence_t;

#define NCCL_MAJOR 2
#define NCCL_MINOR 28
#define NCCL_PATCH 9
#define NCCL_UNIQUE_ID_BYTES 128
#define NCCL_VERSION_CODE 22809

#endif
