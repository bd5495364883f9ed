/* SPDX-License-Identifier: Apache-2.0 */
/* That loader/driver/cuda_abi.h and driver_table.h say what the toolkit's <cuda.h> says. Compiled only where
 * there is a toolkit; compiling is the test. */
#include <cuda.h>

#include "loader/driver/driver_table.h"

#include <cubinet/launch.h>

#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours " is not " #theirs)

#define SAME_RESULT(name) SAME(CBN_CU_##name, CUDA_ERROR_##name)
SAME(CBN_CU_SUCCESS, CUDA_SUCCESS);
SAME_RESULT(INVALID_VALUE);
SAME_RESULT(OUT_OF_MEMORY);
SAME_RESULT(NOT_INITIALIZED);
SAME_RESULT(DEINITIALIZED);
SAME_RESULT(STUB_LIBRARY);
SAME_RESULT(DEVICE_UNAVAILABLE);
SAME_RESULT(NO_DEVICE);
SAME_RESULT(INVALID_DEVICE);
SAME_RESULT(INVALID_IMAGE);
SAME_RESULT(INVALID_CONTEXT);
SAME_RESULT(NO_BINARY_FOR_GPU);
SAME_RESULT(ECC_UNCORRECTABLE);
SAME_RESULT(INVALID_PTX);
SAME_RESULT(NVLINK_UNCORRECTABLE);
SAME_RESULT(JIT_COMPILER_NOT_FOUND);
SAME_RESULT(UNSUPPORTED_PTX_VERSION);
SAME_RESULT(INVALID_HANDLE);
SAME_RESULT(NOT_FOUND);
SAME_RESULT(ILLEGAL_ADDRESS);
SAME_RESULT(LAUNCH_OUT_OF_RESOURCES);
SAME_RESULT(LAUNCH_TIMEOUT);
SAME_RESULT(CONTEXT_IS_DESTROYED);
SAME_RESULT(ASSERT);
SAME_RESULT(HARDWARE_STACK_ERROR);
SAME_RESULT(ILLEGAL_INSTRUCTION);
SAME_RESULT(MISALIGNED_ADDRESS);
SAME_RESULT(INVALID_ADDRESS_SPACE);
SAME_RESULT(INVALID_PC);
SAME_RESULT(LAUNCH_FAILED);
SAME_RESULT(COOPERATIVE_LAUNCH_TOO_LARGE);
SAME_RESULT(NOT_SUPPORTED);
SAME_RESULT(SYSTEM_DRIVER_MISMATCH);
SAME_RESULT(MPS_CLIENT_TERMINATED);
SAME_RESULT(INVALID_CLUSTER_SIZE);
SAME_RESULT(UNKNOWN);
#if CUDA_VERSION >= 12080
SAME_RESULT(TENSOR_MEMORY_LEAK);
SAME_RESULT(CONTAINED);
#endif

#define SAME_DEVICE(name) SAME(CBN_CU_DEVICE_##name, CU_DEVICE_ATTRIBUTE_##name)
SAME_DEVICE(MAX_THREADS_PER_BLOCK);
SAME_DEVICE(MAX_BLOCK_DIM_X);
SAME_DEVICE(MAX_BLOCK_DIM_Y);
SAME_DEVICE(MAX_BLOCK_DIM_Z);
SAME_DEVICE(MAX_GRID_DIM_X);
SAME_DEVICE(MAX_GRID_DIM_Y);
SAME_DEVICE(MAX_GRID_DIM_Z);
SAME_DEVICE(MAX_SHARED_MEMORY_PER_BLOCK);
SAME_DEVICE(WARP_SIZE);
SAME_DEVICE(MAX_REGISTERS_PER_BLOCK);
SAME_DEVICE(MULTIPROCESSOR_COUNT);
SAME_DEVICE(INTEGRATED);
SAME_DEVICE(MAX_THREADS_PER_MULTIPROCESSOR);
SAME_DEVICE(COMPUTE_CAPABILITY_MAJOR);
SAME_DEVICE(COMPUTE_CAPABILITY_MINOR);
SAME_DEVICE(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
SAME_DEVICE(MAX_REGISTERS_PER_MULTIPROCESSOR);
SAME_DEVICE(COOPERATIVE_LAUNCH);
SAME_DEVICE(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
SAME_DEVICE(MAX_BLOCKS_PER_MULTIPROCESSOR);
SAME_DEVICE(RESERVED_SHARED_MEMORY_PER_BLOCK);
SAME_DEVICE(CLUSTER_LAUNCH);

#define SAME_FUNCTION(name) SAME(CBN_CU_FUNC_##name, CU_FUNC_ATTRIBUTE_##name)
SAME_FUNCTION(MAX_THREADS_PER_BLOCK);
SAME_FUNCTION(SHARED_SIZE_BYTES);
SAME_FUNCTION(CONST_SIZE_BYTES);
SAME_FUNCTION(LOCAL_SIZE_BYTES);
SAME_FUNCTION(NUM_REGS);
SAME_FUNCTION(MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME_FUNCTION(PREFERRED_SHARED_MEMORY_CARVEOUT);
SAME_FUNCTION(REQUIRED_CLUSTER_WIDTH);
SAME_FUNCTION(REQUIRED_CLUSTER_HEIGHT);
SAME_FUNCTION(REQUIRED_CLUSTER_DEPTH);
SAME_FUNCTION(NON_PORTABLE_CLUSTER_SIZE_ALLOWED);

SAME(CBN_CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER);
SAME(CBN_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
#define SAME_LAUNCH(name) SAME(CBN_CU_LAUNCH_##name, CU_LAUNCH_ATTRIBUTE_##name)
SAME_LAUNCH(IGNORE);
SAME_LAUNCH(ACCESS_POLICY_WINDOW);
SAME_LAUNCH(COOPERATIVE);
SAME_LAUNCH(CLUSTER_DIMENSION);
SAME_LAUNCH(CLUSTER_SCHEDULING_POLICY_PREFERENCE);
SAME_LAUNCH(PROGRAMMATIC_STREAM_SERIALIZATION);
SAME_LAUNCH(PROGRAMMATIC_EVENT);
SAME_LAUNCH(PRIORITY);
SAME_LAUNCH(MEM_SYNC_DOMAIN_MAP);
SAME_LAUNCH(MEM_SYNC_DOMAIN);
#if CUDA_VERSION >= 12030
SAME_LAUNCH(LAUNCH_COMPLETION_EVENT);
#endif
#if CUDA_VERSION >= 12040
SAME_LAUNCH(DEVICE_UPDATABLE_KERNEL_NODE);
#endif
#if CUDA_VERSION >= 12050
SAME_LAUNCH(PREFERRED_SHARED_MEMORY_CARVEOUT);
#endif
#if CUDA_VERSION >= 12080
SAME_LAUNCH(PREFERRED_CLUSTER_DIMENSION);
#endif
#if CUDA_VERSION >= 12090
SAME_LAUNCH(NVLINK_UTIL_CENTRIC_SCHEDULING);
#endif

SAME(CUBINET_CLUSTERS_DEFAULT, CU_CLUSTER_SCHEDULING_POLICY_DEFAULT);
SAME(CUBINET_CLUSTERS_SPREAD, CU_CLUSTER_SCHEDULING_POLICY_SPREAD);
SAME(CUBINET_CLUSTERS_BALANCED, CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING);
SAME(CUBINET_DOMAIN_DEFAULT, CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT);
SAME(CUBINET_DOMAIN_REMOTE, CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE);
SAME(CBN_CU_CAPTURE_RELAXED, CU_STREAM_CAPTURE_MODE_RELAXED);
SAME(CBN_CU_MEM_ALLOCATION_PINNED, CU_MEM_ALLOCATION_TYPE_PINNED);
SAME(CBN_CU_MEM_LOCATION_DEVICE, CU_MEM_LOCATION_TYPE_DEVICE);
#if CUDA_VERSION >= 12030
SAME(CBN_CU_GRAPH_PORT_PROGRAMMATIC, CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC);
SAME(CBN_CU_GRAPH_DEPENDENCY_PROGRAMMATIC, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
#endif
#if CUDA_VERSION >= 12040
SAME(CBN_CU_RESOURCE_SM, CU_DEV_RESOURCE_TYPE_SM);
#endif
SAME(CBN_CU_PROC_ADDRESS_DEFAULT, CU_GET_PROC_ADDRESS_DEFAULT);
SAME(CBN_CU_PROC_ADDRESS_SUCCESS, CU_GET_PROC_ADDRESS_SUCCESS);
SAME(CBN_CU_PROC_ADDRESS_SYMBOL_NOT_FOUND, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
SAME(CBN_CU_PROC_ADDRESS_VERSION_NOT_SUFFICIENT, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);

#define SAME_MEMBER(ours, member, their_member)                                                              \
    SAME(offsetof(cbn_cu_launch_##ours, member), offsetof(CUlaunch_##ours, their_member))
typedef CUlaunchConfig CUlaunch_config;
typedef CUlaunchAttribute CUlaunch_attribute;
SAME(sizeof(cbn_cu_launch_config), sizeof(CUlaunchConfig));
SAME_MEMBER(config, grid_x, gridDimX);
SAME_MEMBER(config, grid_y, gridDimY);
SAME_MEMBER(config, grid_z, gridDimZ);
SAME_MEMBER(config, block_x, blockDimX);
SAME_MEMBER(config, block_y, blockDimY);
SAME_MEMBER(config, block_z, blockDimZ);
SAME_MEMBER(config, dynamic_shared_bytes, sharedMemBytes);
SAME_MEMBER(config, stream, hStream);
SAME_MEMBER(config, attributes, attrs);
SAME_MEMBER(config, attribute_count, numAttrs);
SAME(sizeof(cbn_cu_launch_attribute), sizeof(CUlaunchAttribute));
SAME_MEMBER(attribute, id, id);
SAME_MEMBER(attribute, value.cooperative, value.cooperative);
SAME_MEMBER(attribute, value.cluster.x, value.clusterDim.x);
SAME_MEMBER(attribute, value.cluster.y, value.clusterDim.y);
SAME_MEMBER(attribute, value.cluster.z, value.clusterDim.z);

SAME_MEMBER(attribute, value.cluster_scheduling, value.clusterSchedulingPolicyPreference);
SAME_MEMBER(attribute, value.programmatic_serialization, value.programmaticStreamSerializationAllowed);
SAME_MEMBER(attribute, value.programmatic_event.event, value.programmaticEvent.event);
SAME_MEMBER(attribute, value.programmatic_event.flags, value.programmaticEvent.flags);
SAME_MEMBER(attribute, value.programmatic_event.at_block_start, value.programmaticEvent.triggerAtBlockStart);
SAME_MEMBER(attribute, value.priority, value.priority);
SAME_MEMBER(attribute, value.domain_map.default_domain, value.memSyncDomainMap.default_);
SAME_MEMBER(attribute, value.domain_map.remote_domain, value.memSyncDomainMap.remote);
SAME_MEMBER(attribute, value.domain, value.memSyncDomain);
#if CUDA_VERSION >= 12030
SAME_MEMBER(attribute, value.completion_event.event, value.launchCompletionEvent.event);
SAME_MEMBER(attribute, value.completion_event.flags, value.launchCompletionEvent.flags);
#endif
#if CUDA_VERSION >= 12040
SAME_MEMBER(attribute, value.device_updatable.is_updatable, value.deviceUpdatableKernelNode.deviceUpdatable);
SAME_MEMBER(attribute, value.device_updatable.node, value.deviceUpdatableKernelNode.devNode);
#endif

#define SAME_PLACE(ours, member, theirs, their_member)                                                       \
    SAME(offsetof(ours, member), offsetof(theirs, their_member))
SAME(sizeof(cbn_cu_kernel_node), sizeof(CUDA_KERNEL_NODE_PARAMS_v2));
SAME_PLACE(cbn_cu_kernel_node, function, CUDA_KERNEL_NODE_PARAMS_v2, func);
SAME_PLACE(cbn_cu_kernel_node, grid_x, CUDA_KERNEL_NODE_PARAMS_v2, gridDimX);
SAME_PLACE(cbn_cu_kernel_node, block_z, CUDA_KERNEL_NODE_PARAMS_v2, blockDimZ);
SAME_PLACE(cbn_cu_kernel_node, dynamic_shared_bytes, CUDA_KERNEL_NODE_PARAMS_v2, sharedMemBytes);
SAME_PLACE(cbn_cu_kernel_node, params, CUDA_KERNEL_NODE_PARAMS_v2, kernelParams);
SAME_PLACE(cbn_cu_kernel_node, extra, CUDA_KERNEL_NODE_PARAMS_v2, extra);
SAME_PLACE(cbn_cu_kernel_node, kernel, CUDA_KERNEL_NODE_PARAMS_v2, kern);
SAME_PLACE(cbn_cu_kernel_node, context, CUDA_KERNEL_NODE_PARAMS_v2, ctx);
SAME(sizeof(cbn_cu_alloc_node), sizeof(CUDA_MEM_ALLOC_NODE_PARAMS));
SAME_PLACE(cbn_cu_alloc_node, pool.type, CUDA_MEM_ALLOC_NODE_PARAMS, poolProps.allocType);
SAME_PLACE(cbn_cu_alloc_node, pool.location_type, CUDA_MEM_ALLOC_NODE_PARAMS, poolProps.location.type);
SAME_PLACE(cbn_cu_alloc_node, pool.location_id, CUDA_MEM_ALLOC_NODE_PARAMS, poolProps.location.id);
SAME_PLACE(cbn_cu_alloc_node, access, CUDA_MEM_ALLOC_NODE_PARAMS, accessDescs);
SAME_PLACE(cbn_cu_alloc_node, bytes, CUDA_MEM_ALLOC_NODE_PARAMS, bytesize);
SAME_PLACE(cbn_cu_alloc_node, address, CUDA_MEM_ALLOC_NODE_PARAMS, dptr);
#if CUDA_VERSION >= 12030
SAME(sizeof(cbn_cu_edge), sizeof(CUgraphEdgeData));
SAME_PLACE(cbn_cu_edge, from_port, CUgraphEdgeData, from_port);
SAME_PLACE(cbn_cu_edge, type, CUgraphEdgeData, type);
#endif
#if CUDA_VERSION >= 12040
SAME(sizeof(cbn_cu_resource), sizeof(CUdevResource));
SAME_PLACE(cbn_cu_resource, type, CUdevResource, type);
SAME_PLACE(cbn_cu_resource, value.multiprocessors, CUdevResource, sm.smCount);
#endif

/* Each function of the table has <cuda.h>'s type: an enumeration is compatible with the integer type that
 * represents it. But for those that take a struct of ours, compared above, or have a new type under the old
 * name since CUDA 13. */
typedef struct cbn_driver_table table;
#define IS_EXEMPT(name)                                                                                      \
    (__builtin_strcmp(name, "cuLaunchKernelEx") == 0 ||                                                      \
     __builtin_strcmp(name, "cuOccupancyMaxPotentialClusterSize") == 0 ||                                    \
     __builtin_strcmp(name, "cuOccupancyMaxActiveClusters") == 0 ||                                          \
     __builtin_strcmp(name, "cuGraphAddKernelNode") == 0 ||                                                  \
     __builtin_strcmp(name, "cuGraphKernelNodeGetParams") == 0 ||                                            \
     __builtin_strcmp(name, "cuGraphKernelNodeSetParams") == 0 ||                                            \
     __builtin_strcmp(name, "cuGraphExecKernelNodeSetParams") == 0 ||                                        \
     __builtin_strcmp(name, "cuGraphKernelNodeGetAttribute") == 0 ||                                         \
     __builtin_strcmp(name, "cuGraphKernelNodeSetAttribute") == 0 ||                                         \
     __builtin_strcmp(name, "cuGraphAddMemAllocNode") == 0 ||                                                \
     __builtin_strcmp(name, "cuGraphMemAllocNodeGetParams") == 0 ||                                          \
     __builtin_strcmp(name, "cuGraphNodeGetDependencies") == 0 ||                                            \
     __builtin_strcmp(name, "cuGraphAddDependencies") == 0 ||                                                \
     __builtin_strcmp(name, "cuCtxGetDevResource") == 0)
#define SAME_TYPE(name, symbol, params, args, need, since)                                                   \
    _Static_assert(IS_EXEMPT(#name) ||                                                                       \
                       __builtin_types_compatible_p(__typeof__(&symbol), __typeof__(((table *)0)->name)),    \
                   #symbol " has another type in <cuda.h>");
CBN_DRIVER_FUNCTIONS(SAME_TYPE)

int main(void)
{
    return 0;
}
