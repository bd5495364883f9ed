// SPDX-License-Identifier: Apache-2.0
// The handles of CUDA's libraries of which host code names little more.
#if !defined(CUBINET_HOST_LIBRARIES_H) && __cplusplus >= 201402L
#define CUBINET_HOST_LIBRARIES_H

#include <library_types.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cusolverMgContext *cusolverMgHandle_t;
typedef void *cudaLibMgGrid_t;
typedef void *cudaLibMgMatrixDesc_t;
typedef struct csrluInfoHost *csrluInfoHost_t;
typedef struct cusolverRfCommon *cusolverRfHandle_t;

typedef struct cutensorContext *cutensorHandle_t;
typedef struct cutensorTensorDescriptor *cutensorTensorDescriptor_t;
typedef struct cutensorOperationDescriptor *cutensorOperationDescriptor_t;
typedef struct cutensorPlan *cutensorPlan_t;
typedef struct cutensorPlanPreference *cutensorPlanPreference_t;
typedef enum { CUTENSOR_STATUS_SUCCESS = 0 } cutensorStatus_t;

typedef struct cusparseLtContext *cusparseLtHandle_t;
typedef struct cudssContext *cudssHandle_t;
typedef struct cudssConfig *cudssConfig_t;
typedef struct cudssData *cudssData_t;
typedef struct cudssMatrix *cudssMatrix_t;
typedef enum { CUDSS_STATUS_SUCCESS = 0 } cudssStatus_t;
typedef struct nvgraphContext *nvgraphHandle_t;
typedef struct nvjpegHandle *nvjpegHandle_t;
typedef struct nvjpegJpegState *nvjpegJpegState_t;
typedef enum { NVJPEG_STATUS_SUCCESS = 0 } nvjpegStatus_t;

typedef struct nvmlDevice_st *nvmlDevice_t;
typedef enum { NVML_SUCCESS = 0 } nvmlReturn_t;
typedef struct {
    unsigned int gpu;
    unsigned int memory;
} nvmlUtilization_t;
typedef struct {
    unsigned long long total;
    unsigned long long free;
    unsigned long long used;
} nvmlMemory_t;

typedef enum { CUPTI_SUCCESS = 0 } CUptiResult;
typedef struct CUpti_Subscriber_st *CUpti_SubscriberHandle;
typedef struct nvPTXCompiler *nvPTXCompilerHandle;
typedef struct _nvFatbinHandle *nvFatbinHandle;

typedef unsigned char Npp8u;
typedef signed char Npp8s;
typedef unsigned short Npp16u;
typedef short Npp16s;
typedef unsigned int Npp32u;
typedef int Npp32s;
typedef float Npp32f;
typedef double Npp64f;
typedef enum { NPP_NO_ERROR = 0, NPP_SUCCESS = 0 } NppStatus;
typedef struct {
    int width;
    int height;
} NppiSize;
typedef struct {
    int x;
    int y;
} NppiPoint;
typedef struct {
    int x;
    int y;
    int width;
    int height;
} NppiRect;

#endif
