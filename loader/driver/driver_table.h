/* SPDX-License-Identifier: Apache-2.0 */
/* Every function of the CUDA driver that Cubinet calls: one list, from which come the table of pointers, its
 * resolver (driver_table.c) and the simulated driver (tests/simdriver). */
#ifndef CBN_DRIVER_TABLE_H
#define CBN_DRIVER_TABLE_H

#include "loader/core/support/dynlib.h"
#include "loader/driver/cuda_abi.h"

/* X(name, exported symbol, parameters, the parameters' names, REQUIRED or OPTIONAL, since which CUDA release)
 *
 * The symbol differs from the name where <cuda.h> redefines the name to a later version of the function. All
 * return a CUresult. Every function newer than CUDA 12.0 must be OPTIONAL: 12.0 is the oldest driver that
 * works. */
#define CBN_DRIVER_FUNCTIONS(X)                                                                              \
    X(cuInit, cuInit, (unsigned int flags), (flags), REQUIRED, 2000)                                         \
    X(cuDriverGetVersion, cuDriverGetVersion, (int *version), (version), REQUIRED, 2020)                     \
    X(cuGetErrorName, cuGetErrorName, (cbn_cu_result error, const char **text), (error, text), REQUIRED,     \
      6000)                                                                                                  \
    X(cuGetErrorString, cuGetErrorString, (cbn_cu_result error, const char **text), (error, text), REQUIRED, \
      6000)                                                                                                  \
    X(cuGetProcAddress, cuGetProcAddress_v2,                                                                 \
      (const char *name, void **function, int version, uint64_t flags, unsigned int *status),                \
      (name, function, version, flags, status), REQUIRED, 12000)                                             \
    X(cuDeviceGetCount, cuDeviceGetCount, (int *count), (count), REQUIRED, 2000)                             \
    X(cuDeviceGet, cuDeviceGet, (CUdevice * device, int ordinal), (device, ordinal), REQUIRED, 2000)         \
    X(cuDeviceGetName, cuDeviceGetName, (char *name, int capacity, CUdevice device),                         \
      (name, capacity, device), REQUIRED, 2000)                                                              \
    X(cuDeviceGetAttribute, cuDeviceGetAttribute, (int *value, unsigned int attribute, CUdevice device),     \
      (value, attribute, device), REQUIRED, 2000)                                                            \
    X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device),            \
      (context, device), REQUIRED, 7000)                                                                     \
    X(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (CUdevice device), (device), REQUIRED, 11000) \
    X(cuCtxGetCurrent, cuCtxGetCurrent, (CUcontext * context), (context), REQUIRED, 4000)                    \
    X(cuCtxPushCurrent, cuCtxPushCurrent_v2, (CUcontext context), (context), REQUIRED, 4000)                 \
    X(cuCtxPopCurrent, cuCtxPopCurrent_v2, (CUcontext * context), (context), REQUIRED, 4000)                 \
    X(cuCtxGetDevice, cuCtxGetDevice, (CUdevice * device), (device), REQUIRED, 2000)                         \
    X(cuLibraryLoadData, cuLibraryLoadData,                                                                  \
      (CUlibrary * library, const void *code, unsigned int *jit_options, void **jit_values,                  \
       unsigned int jit_count, unsigned int *library_options, void **library_values,                         \
       unsigned int library_count),                                                                          \
      (library, code, jit_options, jit_values, jit_count, library_options, library_values, library_count),   \
      REQUIRED, 12000)                                                                                       \
    X(cuLibraryUnload, cuLibraryUnload, (CUlibrary library), (library), REQUIRED, 12000)                     \
    X(cuLibraryGetKernel, cuLibraryGetKernel, (CUkernel * kernel, CUlibrary library, const char *name),      \
      (kernel, library, name), REQUIRED, 12000)                                                              \
    X(cuLibraryGetKernelCount, cuLibraryGetKernelCount, (unsigned int *count, CUlibrary library),            \
      (count, library), OPTIONAL, 12040)                                                                     \
    X(cuLibraryGetGlobal, cuLibraryGetGlobal,                                                                \
      (CUdeviceptr * address, size_t * bytes, CUlibrary library, const char *name),                          \
      (address, bytes, library, name), REQUIRED, 12000)                                                      \
    X(cuLibraryGetManaged, cuLibraryGetManaged,                                                              \
      (CUdeviceptr * address, size_t * bytes, CUlibrary library, const char *name),                          \
      (address, bytes, library, name), REQUIRED, 12000)                                                      \
    X(cuKernelGetFunction, cuKernelGetFunction, (CUfunction * function, CUkernel kernel),                    \
      (function, kernel), REQUIRED, 12000)                                                                   \
    X(cuKernelGetParamInfo, cuKernelGetParamInfo,                                                            \
      (CUkernel kernel, size_t index, size_t * offset, size_t * size), (kernel, index, offset, size),        \
      OPTIONAL, 12040)                                                                                       \
    X(cuKernelGetAttribute, cuKernelGetAttribute,                                                            \
      (int *value, unsigned int attribute, CUkernel kernel, CUdevice device),                                \
      (value, attribute, kernel, device), REQUIRED, 12000)                                                   \
    X(cuKernelSetAttribute, cuKernelSetAttribute,                                                            \
      (unsigned int attribute, int value, CUkernel kernel, CUdevice device),                                 \
      (attribute, value, kernel, device), REQUIRED, 12000)                                                   \
    X(cuLaunchKernelEx, cuLaunchKernelEx,                                                                    \
      (const cbn_cu_launch_config *config, CUfunction function, void **params, void **extra),                \
      (config, function, params, extra), REQUIRED, 11080)                                                    \
    X(cuThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode, (unsigned int *mode), (mode),    \
      REQUIRED, 10010)                                                                                       \
    X(cuMemAllocAsync, cuMemAllocAsync, (CUdeviceptr * address, size_t bytes, CUstream stream),              \
      (address, bytes, stream), REQUIRED, 11020)                                                             \
    X(cuMemFreeAsync, cuMemFreeAsync, (CUdeviceptr address, CUstream stream), (address, stream), REQUIRED,   \
      11020)                                                                                                 \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,                                                  \
      cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,                                                  \
      (int *blocks, CUfunction function, int block_threads, size_t dynamic_shared_bytes,                     \
       unsigned int flags),                                                                                  \
      (blocks, function, block_threads, dynamic_shared_bytes, flags), REQUIRED, 7000)                        \
    X(cuOccupancyMaxPotentialBlockSizeWithFlags, cuOccupancyMaxPotentialBlockSizeWithFlags,                  \
      (int *min_grid_blocks, int *block_threads, CUfunction function,                                        \
       cbn_cu_block_to_shared block_to_shared, size_t dynamic_shared_bytes, int max_block_threads,           \
       unsigned int flags),                                                                                  \
      (min_grid_blocks, block_threads, function, block_to_shared, dynamic_shared_bytes, max_block_threads,   \
       flags),                                                                                               \
      REQUIRED, 7000)                                                                                        \
    X(cuOccupancyAvailableDynamicSMemPerBlock, cuOccupancyAvailableDynamicSMemPerBlock,                      \
      (size_t * dynamic_shared_bytes, CUfunction function, int blocks, int block_threads),                   \
      (dynamic_shared_bytes, function, blocks, block_threads), REQUIRED, 10020)                              \
    X(cuOccupancyMaxPotentialClusterSize, cuOccupancyMaxPotentialClusterSize,                                \
      (int *blocks, CUfunction function, const cbn_cu_launch_config *config), (blocks, function, config),    \
      REQUIRED, 11070)                                                                                       \
    X(cuOccupancyMaxActiveClusters, cuOccupancyMaxActiveClusters,                                            \
      (int *clusters, CUfunction function, const cbn_cu_launch_config *config),                              \
      (clusters, function, config), REQUIRED, 11070)                                                         \
    X(cuGraphAddKernelNode, cuGraphAddKernelNode_v2,                                                         \
      (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies, size_t count,                     \
       const cbn_cu_kernel_node *params),                                                                    \
      (node, graph, dependencies, count, params), REQUIRED, 12000)                                           \
    X(cuGraphKernelNodeGetParams, cuGraphKernelNodeGetParams_v2,                                             \
      (CUgraphNode node, cbn_cu_kernel_node * params), (node, params), REQUIRED, 12000)                      \
    X(cuGraphKernelNodeSetParams, cuGraphKernelNodeSetParams_v2,                                             \
      (CUgraphNode node, const cbn_cu_kernel_node *params), (node, params), REQUIRED, 12000)                 \
    X(cuGraphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams_v2,                                     \
      (CUgraphExec exec, CUgraphNode node, const cbn_cu_kernel_node *params), (exec, node, params),          \
      REQUIRED, 12000)                                                                                       \
    X(cuGraphKernelNodeGetAttribute, cuGraphKernelNodeGetAttribute,                                          \
      (CUgraphNode node, unsigned int attribute, cbn_cu_launch_value *value), (node, attribute, value),      \
      REQUIRED, 11000)                                                                                       \
    X(cuGraphKernelNodeSetAttribute, cuGraphKernelNodeSetAttribute,                                          \
      (CUgraphNode node, unsigned int attribute, const cbn_cu_launch_value *value),                          \
      (node, attribute, value), REQUIRED, 11000)                                                             \
    X(cuGraphAddMemAllocNode, cuGraphAddMemAllocNode,                                                        \
      (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies, size_t count,                     \
       cbn_cu_alloc_node *params),                                                                           \
      (node, graph, dependencies, count, params), REQUIRED, 11040)                                           \
    X(cuGraphAddMemFreeNode, cuGraphAddMemFreeNode,                                                          \
      (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies, size_t count,                     \
       CUdeviceptr address),                                                                                 \
      (node, graph, dependencies, count, address), REQUIRED, 11040)                                          \
    X(cuGraphMemAllocNodeGetParams, cuGraphMemAllocNodeGetParams,                                            \
      (CUgraphNode node, cbn_cu_alloc_node * params), (node, params), REQUIRED, 11040)                       \
    X(cuGraphNodeGetDependencies, cuGraphNodeGetDependencies,                                                \
      (CUgraphNode node, CUgraphNode * dependencies, size_t * count), (node, dependencies, count), REQUIRED, \
      10000)                                                                                                 \
    X(cuGraphDestroyNode, cuGraphDestroyNode, (CUgraphNode node), (node), REQUIRED, 10000)                   \
    X(cuGraphAddDependencies, cuGraphAddDependencies_v2,                                                     \
      (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, const cbn_cu_edge *edges,              \
       size_t count),                                                                                        \
      (graph, from, to, edges, count), OPTIONAL, 12030)                                                      \
    X(cuCtxGetDevResource, cuCtxGetDevResource,                                                              \
      (CUcontext context, cbn_cu_resource * resource, unsigned int type), (context, resource, type),         \
      OPTIONAL, 12040)

/* The oldest driver that works: the first with libraries and kernels that belong to no context. */
enum { CBN_DRIVER_MINIMUM = 12000 };

struct cbn_driver_table {
#define CBN_MEMBER(name, symbol, params, args, need, since) cbn_cu_result(*name) params;
    CBN_DRIVER_FUNCTIONS(CBN_MEMBER)
#undef CBN_MEMBER
};

/* Fills the table from an open libcuda. Fails with CUBINET_ERROR_DRIVER_TOO_OLD if a required function is
 * missing. */
cubinet_status cbn_driver_table_resolve(const struct cbn_library *library, struct cbn_driver_table *table);

#endif
