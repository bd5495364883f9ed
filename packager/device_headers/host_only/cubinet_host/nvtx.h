// SPDX-License-Identifier: Apache-2.0
// Ranges for profilers.
#if !defined(CUBINET_HOST_NVTX_H) && __cplusplus >= 201402L
#define CUBINET_HOST_NVTX_H

#include "cubinet_host/functions.h"
#include <stddef.h>
#include <stdint.h>

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;
typedef struct nvtxEventAttributes_v2 {
    uint16_t version;
    uint16_t size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType;
    int32_t reserved0;
    union {
        uint64_t ullValue;
        double dValue;
    } payload;
    int32_t messageType;
    union {
        const char *ascii;
    } message;
} nvtxEventAttributes_t;

_CUBINET_HOST_FUNCTION(nvtxDomainCreateA)
_CUBINET_HOST_FUNCTION(nvtxMarkA)
_CUBINET_HOST_FUNCTION(nvtxNameOsThreadA)
_CUBINET_HOST_FUNCTION(nvtxRangeEnd)
_CUBINET_HOST_FUNCTION(nvtxRangePop)
_CUBINET_HOST_FUNCTION(nvtxRangePush)
_CUBINET_HOST_FUNCTION(nvtxRangePushA)
_CUBINET_HOST_FUNCTION(nvtxRangePushEx)
_CUBINET_HOST_FUNCTION(nvtxRangeStartA)

namespace nvtx3
{
class scoped_range;
class unique_range;
class event_attributes;
} // namespace nvtx3

#endif
