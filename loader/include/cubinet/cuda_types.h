/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The driver API's handle types, declared exactly as <cuda.h> declares them, so that programs can use
 * libcubinet with or without a CUDA toolkit, and include <cuda.h> before or after.
 */
#ifndef CUBINET_CUDA_TYPES_H
#define CUBINET_CUDA_TYPES_H

#ifdef __cplusplus
extern "C" {
#endif

typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUfunc_st *CUfunction;
typedef struct CUkern_st *CUkernel;
typedef struct CUlib_st *CUlibrary;
typedef unsigned long long CUdeviceptr;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUgraphDeviceUpdatableNode_st *CUgraphDeviceNode;

#ifdef __cplusplus
}
#endif

#endif
