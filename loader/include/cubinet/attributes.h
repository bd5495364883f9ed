/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Attributes of a launch: what cuLaunchKernelEx() takes beside grid, block, stream and shared memory.
 * cubinet_launch_config points to them. Each has the driver's meaning; where the driver is too old for one,
 * the launch is refused with the release that has it.
 */
#ifndef CUBINET_ATTRIBUTES_H
#define CUBINET_ATTRIBUTES_H

#include <stddef.h>
#include <stdint.h>

#include <cubinet/cuda_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bits of cubinet_launch_attributes::flags.
 * @since 0.1 */
typedef enum cubinet_attribute_flags {
    /** Each block triggers programmatic_event when it starts; without it, when it calls
     * cudaTriggerProgrammaticLaunchCompletion() or ends. */
    CUBINET_ATTRIBUTE_TRIGGER_AT_START = 1 << 0,
    CUBINET_ATTRIBUTE_PRIORITY = 1 << 1,      /**< `priority` counts; without it, the stream's does */
    CUBINET_ATTRIBUTE_MEMORY_DOMAIN = 1 << 2, /**< `memory_domain` counts; without it, the stream's does */
    CUBINET_ATTRIBUTE_MEMORY_DOMAIN_MAP = 1
                                          << 3, /**< `memory_domain_map` counts; without, the stream's does */
    /** Kernels in the graph may update the node (CUDA 12.4). For graphs only: the stream must be captured. */
    CUBINET_ATTRIBUTE_DEVICE_UPDATABLE = 1 << 4,
} cubinet_attribute_flags;

/** How blocks of a cluster are spread over multiprocessors. The numbers are the driver's.
 * @since 0.1 */
typedef enum cubinet_cluster_scheduling {
    CUBINET_CLUSTERS_DEFAULT = 0,
    CUBINET_CLUSTERS_SPREAD = 1,   /**< over as many as possible */
    CUBINET_CLUSTERS_BALANCED = 2, /**< as the device balances the load */
} cubinet_cluster_scheduling;

/** Which writes a kernel's memory fences wait for. The numbers are the driver's.
 * @since 0.1 */
typedef enum cubinet_memory_domain {
    CUBINET_DOMAIN_DEFAULT = 0,
    CUBINET_DOMAIN_REMOTE = 1, /**< kernels that write to other devices, kept apart from the others' fences */
} cubinet_memory_domain;

/** Attributes of a launch. Zero-initialise, then set `size` and what you need: what is 0 is left to the
 * driver. The struct is read during the call only.
 * @since 0.1 */
typedef struct cubinet_launch_attributes {
    size_t size;    /**< sizeof(cubinet_launch_attributes) */
    uint32_t flags; /**< cubinet_attribute_flags */
    int32_t
        priority; /**< of the launch in the context; lower numbers first (cuCtxGetStreamPriorityRange()) */
    /** Event that is complete when all blocks triggered it, for launches that depend on the kernel's first
     * part only. It needs CU_EVENT_DISABLE_TIMING. NULL: none. */
    CUevent programmatic_event;
    /** Event that is complete when all blocks have started (CUDA 12.3). It needs CU_EVENT_DISABLE_TIMING.
     * NULL: none. */
    CUevent completion_event;
    uint32_t programmatic_event_flags; /**< as for cuEventRecordWithFlags() */
    uint32_t completion_event_flags;   /**< as for cuEventRecordWithFlags() */
    uint32_t cluster_scheduling;       /**< cubinet_cluster_scheduling */
    uint32_t memory_domain;            /**< cubinet_memory_domain */
    uint32_t memory_domain_map[2];     /**< the device's domain of the default one, and of the remote one */
    /** Blocks in a cluster where the device has room for it, x, y, z: a multiple of the launch's cluster,
     * which the device uses where it has not (CUDA 12.8). All 0: none. */
    uint32_t preferred_cluster[3];
    uint32_t driver_attribute_count; /**< at most 16 */
    /** CUlaunchAttributes of <cuda.h>, for attributes that this struct and the configuration have no members
     * for, such as an access policy window. NULL if there are none. */
    const void *driver_attributes;
    /** Where to write the handle that kernels update the node with; NULL: nowhere. Written on success, with
     * CUBINET_ATTRIBUTE_DEVICE_UPDATABLE. */
    CUgraphDeviceNode *out_device_node;
} cubinet_launch_attributes;

#ifdef __cplusplus
}
#endif

#endif
