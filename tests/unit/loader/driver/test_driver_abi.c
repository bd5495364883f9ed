/* SPDX-License-Identifier: Apache-2.0 */
/* That loader/driver/cuda_abi.h and driver_table.h say what the toolkit's <cuda.h> says. Compiled only where
 * there is a toolkit; compiling is the test. */
#include <cuda.h>

#include "loader/driver/driver_table.h"

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
SAME(CBN_CU_LAUNCH_COOPERATIVE, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
SAME(CBN_CU_LAUNCH_CLUSTER_DIMENSION, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
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

/* Each function of the table has <cuda.h>'s type: an enumeration is compatible with the integer type that
 * represents it. But for those that take a struct of ours, compared above. */
typedef struct cbn_driver_table table;
#define TAKES_LAUNCH_CONFIG(name)                                                                            \
    (__builtin_strcmp(name, "cuLaunchKernelEx") == 0 ||                                                      \
     __builtin_strcmp(name, "cuOccupancyMaxPotentialClusterSize") == 0 ||                                    \
     __builtin_strcmp(name, "cuOccupancyMaxActiveClusters") == 0)
#define SAME_TYPE(name, symbol, params, args, need, since)                                                   \
    _Static_assert(TAKES_LAUNCH_CONFIG(#name) ||                                                             \
                       __builtin_types_compatible_p(__typeof__(&symbol), __typeof__(((table *)0)->name)),    \
                   #symbol " has another type in <cuda.h>");
CBN_DRIVER_FUNCTIONS(SAME_TYPE)

int main(void)
{
    return 0;
}
