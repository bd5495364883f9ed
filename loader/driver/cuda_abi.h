/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the driver's binary interface that Cubinet uses, with the values of <cuda.h>, so that neither
 * building nor running needs a CUDA toolkit. tests/unit/loader/driver/test_driver_abi.c compares it with the
 * real header.
 *
 * Enumerations are `unsigned int` here: the type that compilers give <cuda.h>'s. */
#ifndef CBN_CUDA_ABI_H
#define CBN_CUDA_ABI_H

#include <cubinet/cuda_types.h>

#include <stddef.h>
#include <stdint.h>

typedef unsigned int cbn_cu_result; /* CUresult */

enum {
    CBN_CU_SUCCESS = 0,
    CBN_CU_INVALID_VALUE = 1,
    CBN_CU_OUT_OF_MEMORY = 2,
    CBN_CU_NOT_INITIALIZED = 3,
    CBN_CU_DEINITIALIZED = 4,
    CBN_CU_STUB_LIBRARY = 34,
    CBN_CU_DEVICE_UNAVAILABLE = 46,
    CBN_CU_NO_DEVICE = 100,
    CBN_CU_INVALID_DEVICE = 101,
    CBN_CU_INVALID_IMAGE = 200,
    CBN_CU_INVALID_CONTEXT = 201,
    CBN_CU_NO_BINARY_FOR_GPU = 209,
    CBN_CU_ECC_UNCORRECTABLE = 214,
    CBN_CU_INVALID_PTX = 218,
    CBN_CU_NVLINK_UNCORRECTABLE = 220,
    CBN_CU_JIT_COMPILER_NOT_FOUND = 221,
    CBN_CU_UNSUPPORTED_PTX_VERSION = 222,
    CBN_CU_CONTAINED = 226,
    CBN_CU_INVALID_HANDLE = 400,
    CBN_CU_NOT_FOUND = 500,
    CBN_CU_ILLEGAL_ADDRESS = 700,
    CBN_CU_LAUNCH_OUT_OF_RESOURCES = 701,
    CBN_CU_LAUNCH_TIMEOUT = 702,
    CBN_CU_CONTEXT_IS_DESTROYED = 709,
    CBN_CU_ASSERT = 710,
    CBN_CU_HARDWARE_STACK_ERROR = 714,
    CBN_CU_ILLEGAL_INSTRUCTION = 715,
    CBN_CU_MISALIGNED_ADDRESS = 716,
    CBN_CU_INVALID_ADDRESS_SPACE = 717,
    CBN_CU_INVALID_PC = 718,
    CBN_CU_LAUNCH_FAILED = 719,
    CBN_CU_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
    CBN_CU_TENSOR_MEMORY_LEAK = 721,
    CBN_CU_NOT_SUPPORTED = 801,
    CBN_CU_SYSTEM_DRIVER_MISMATCH = 803,
    CBN_CU_MPS_CLIENT_TERMINATED = 810,
    CBN_CU_INVALID_CLUSTER_SIZE = 912,
    CBN_CU_UNKNOWN = 999,
};

/* CUdevice_attribute */
enum {
    CBN_CU_DEVICE_MAX_THREADS_PER_BLOCK = 1,
    CBN_CU_DEVICE_MAX_BLOCK_DIM_X = 2,
    CBN_CU_DEVICE_MAX_BLOCK_DIM_Y = 3,
    CBN_CU_DEVICE_MAX_BLOCK_DIM_Z = 4,
    CBN_CU_DEVICE_MAX_GRID_DIM_X = 5,
    CBN_CU_DEVICE_MAX_GRID_DIM_Y = 6,
    CBN_CU_DEVICE_MAX_GRID_DIM_Z = 7,
    CBN_CU_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
    CBN_CU_DEVICE_WARP_SIZE = 10,
    CBN_CU_DEVICE_MAX_REGISTERS_PER_BLOCK = 12,
    CBN_CU_DEVICE_MULTIPROCESSOR_COUNT = 16,
    CBN_CU_DEVICE_INTEGRATED = 18,
    CBN_CU_DEVICE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
    CBN_CU_DEVICE_COMPUTE_CAPABILITY_MAJOR = 75,
    CBN_CU_DEVICE_COMPUTE_CAPABILITY_MINOR = 76,
    CBN_CU_DEVICE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
    CBN_CU_DEVICE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
    CBN_CU_DEVICE_COOPERATIVE_LAUNCH = 95,
    CBN_CU_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
    CBN_CU_DEVICE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
    CBN_CU_DEVICE_RESERVED_SHARED_MEMORY_PER_BLOCK = 111,
    CBN_CU_DEVICE_CLUSTER_LAUNCH = 120,
};

/* CUfunction_attribute */
enum {
    CBN_CU_FUNC_MAX_THREADS_PER_BLOCK = 0,
    CBN_CU_FUNC_SHARED_SIZE_BYTES = 1,
    CBN_CU_FUNC_CONST_SIZE_BYTES = 2,
    CBN_CU_FUNC_LOCAL_SIZE_BYTES = 3,
    CBN_CU_FUNC_NUM_REGS = 4,
    CBN_CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    CBN_CU_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
    CBN_CU_FUNC_REQUIRED_CLUSTER_WIDTH = 11,
    CBN_CU_FUNC_REQUIRED_CLUSTER_HEIGHT = 12,
    CBN_CU_FUNC_REQUIRED_CLUSTER_DEPTH = 13,
    CBN_CU_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
};

/* CUjit_option */
enum {
    CBN_CU_JIT_ERROR_LOG_BUFFER = 5,
    CBN_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
};

/* CUdriverProcAddress_flags, and CUdriverProcAddressQueryResult */
enum {
    CBN_CU_PROC_ADDRESS_DEFAULT = 0,

    CBN_CU_PROC_ADDRESS_SUCCESS = 0,
    CBN_CU_PROC_ADDRESS_SYMBOL_NOT_FOUND = 1,
    CBN_CU_PROC_ADDRESS_VERSION_NOT_SUFFICIENT = 2,
};

enum { CBN_CU_CAPTURE_RELAXED = 2 }; /* CUstreamCaptureMode */

/* CUlaunchAttributeID */
enum {
    CBN_CU_LAUNCH_IGNORE = 0,
    CBN_CU_LAUNCH_ACCESS_POLICY_WINDOW = 1,
    CBN_CU_LAUNCH_COOPERATIVE = 2,
    CBN_CU_LAUNCH_CLUSTER_DIMENSION = 4,
    CBN_CU_LAUNCH_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 5,
    CBN_CU_LAUNCH_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
    CBN_CU_LAUNCH_PROGRAMMATIC_EVENT = 7,
    CBN_CU_LAUNCH_PRIORITY = 8,
    CBN_CU_LAUNCH_MEM_SYNC_DOMAIN_MAP = 9,
    CBN_CU_LAUNCH_MEM_SYNC_DOMAIN = 10,
    CBN_CU_LAUNCH_PREFERRED_CLUSTER_DIMENSION = 11,      /* since CUDA 12.8 */
    CBN_CU_LAUNCH_LAUNCH_COMPLETION_EVENT = 12,          /* since CUDA 12.3 */
    CBN_CU_LAUNCH_DEVICE_UPDATABLE_KERNEL_NODE = 13,     /* since CUDA 12.4 */
    CBN_CU_LAUNCH_PREFERRED_SHARED_MEMORY_CARVEOUT = 14, /* since CUDA 12.5 */
    CBN_CU_LAUNCH_NVLINK_UTIL_CENTRIC_SCHEDULING = 16,   /* since CUDA 12.9 */
};

/* CUlaunchAttributeValue, which is CUkernelNodeAttrValue, too */
typedef union cbn_cu_launch_value {
    char bytes[64];
    int cooperative;
    struct {
        unsigned int x, y, z;
    } cluster;
    unsigned int cluster_scheduling;
    int programmatic_serialization;
    struct {
        CUevent event;
        int flags;
        int at_block_start;
    } programmatic_event;
    struct {
        CUevent event;
        int flags;
    } completion_event;
    int priority;
    struct {
        unsigned char default_domain;
        unsigned char remote_domain;
    } domain_map;
    unsigned int domain;
    struct {
        int is_updatable;
        CUgraphDeviceNode node;
    } device_updatable;
    unsigned long long alignment;
} cbn_cu_launch_value;

/* CUlaunchAttribute */
typedef struct cbn_cu_launch_attribute {
    unsigned int id;
    char pad[4];
    cbn_cu_launch_value value;
} cbn_cu_launch_attribute;

/* CUDA_KERNEL_NODE_PARAMS_v2 */
typedef struct cbn_cu_kernel_node {
    CUfunction function;
    unsigned int grid_x, grid_y, grid_z;
    unsigned int block_x, block_y, block_z;
    unsigned int dynamic_shared_bytes;
    void **params;
    void **extra;
    CUkernel kernel;
    CUcontext context;
} cbn_cu_kernel_node;

enum {
    CBN_CU_MEM_ALLOCATION_PINNED = 1, /* CUmemAllocationType */
    CBN_CU_MEM_LOCATION_DEVICE = 1,   /* CUmemLocationType */
};

/* CUDA_MEM_ALLOC_NODE_PARAMS_v1 */
typedef struct cbn_cu_alloc_node {
    struct {
        unsigned int type;
        unsigned int handle_types;
        unsigned int location_type;
        int location_id;
        void *security;
        size_t max_size;
        unsigned short usage;
        unsigned char reserved[54];
    } pool;
    const void *access;
    size_t access_count;
    size_t bytes;
    CUdeviceptr address; /* out */
} cbn_cu_alloc_node;

enum {
    CBN_CU_GRAPH_PORT_PROGRAMMATIC = 1,       /* CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC */
    CBN_CU_GRAPH_DEPENDENCY_PROGRAMMATIC = 1, /* CUgraphDependencyType */
};

/* CUgraphEdgeData */
typedef struct cbn_cu_edge {
    unsigned char from_port;
    unsigned char to_port;
    unsigned char type;
    unsigned char reserved[5];
} cbn_cu_edge;

enum { CBN_CU_RESOURCE_SM = 1 }; /* CUdevResourceType */

/* CUdevResource */
typedef struct cbn_cu_resource {
    unsigned int type;
    unsigned char internal[92];
    union {
        unsigned int multiprocessors;
        unsigned char bytes[48];
    } value;
} cbn_cu_resource;

/* CUoccupancyB2DSize: dynamic shared memory of a block with so many threads */
typedef size_t (*cbn_cu_block_to_shared)(int block_threads);

/* CUlaunchConfig */
typedef struct cbn_cu_launch_config {
    unsigned int grid_x, grid_y, grid_z;
    unsigned int block_x, block_y, block_z;
    unsigned int dynamic_shared_bytes;
    CUstream stream;
    cbn_cu_launch_attribute *attributes;
    unsigned int attribute_count;
} cbn_cu_launch_config;

#endif
