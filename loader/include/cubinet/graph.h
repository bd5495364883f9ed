/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Kernels of loaded modules as nodes of CUDA graphs. A launch into a stream that is being captured needs
 * nothing from here.
 *
 * Configurations and arguments are checked and completed as cubinet_kernel_launch() does. `stream` is
 * ignored. Attributes that belong to streams only, events, are refused. With CUBINET_LAUNCH_PROGRAMMATIC the
 * edges from the dependencies, which must be kernel nodes, are programmatic ones (CUDA 12.3).
 *
 * A graph does not keep modules loaded: unload a module after the last graph with a kernel of it is destroyed
 * and has run, or let cubinet_module_retain() keep it. Calls for one graph must not overlap, as the driver
 * demands. No context need be current.
 */
#ifndef CUBINET_GRAPH_H
#define CUBINET_GRAPH_H

#include <stddef.h>

#include <cubinet/cuda_types.h>
#include <cubinet/export.h>
#include <cubinet/launch.h>
#include <cubinet/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Adds a kernel as a node to a graph.
 *
 * Memory that hidden parameters need is allocated by a node before the kernel's and freed by one after it:
 * the graph is then one with memory nodes, of which one instance exists at a time.
 *
 * @param dependencies `dependency_count` nodes of the graph that run before; NULL if there are none
 * @param args as for cubinet_kernel_launch(); copied
 * @param out_node the kernel's node, which belongs to the graph; untouched on failure
 * @return as cubinet_kernel_launch(); CUBINET_ERROR_INVALID_ARGUMENT also for an attribute that nodes do not
 *         have. A failure leaves no node behind
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_kernel_add_node(const cubinet_kernel *kernel, CUgraph graph,
                                                   const CUgraphNode *dependencies, size_t dependency_count,
                                                   const cubinet_launch_config *config,
                                                   const cubinet_arg *args, size_t arg_count,
                                                   CUgraphNode *out_node);

/**
 * Replaces the kernel, the configuration, with its cluster and cooperation, the arguments and the given
 * attributes of a node. Its edges stay, and so do attributes that are not given. Graphs that were made from
 * this one keep what they have.
 *
 * Hidden parameters keep the memory that the node was added with, so the grid must not be larger than the one
 * that it was added with.
 *
 * @param node a kernel node, in which a kernel with hidden memory was the same one before
 * @return as cubinet_kernel_add_node(); CUBINET_ERROR_LIMIT for more blocks than there is memory for. After a
 *         failure the node is as it was, unless the driver refuses an attribute: it has the new parameters by
 * then
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_kernel_update_node(const cubinet_kernel *kernel, CUgraphNode node,
                                                      const cubinet_launch_config *config,
                                                      const cubinet_arg *args, size_t arg_count);

/**
 * Replaces the kernel, the configuration and the arguments of a node in an executable graph, from its next
 * launch on. The driver changes no attributes there: they, the cluster and cooperation are those that the
 * graph was made with, and other ones are refused.
 *
 * @param exec made from the graph that has the node
 * @param node the node in that graph
 * @return as cubinet_kernel_update_node()
 * @since 0.1
 */
CUBINET_API cubinet_status cubinet_kernel_update_exec_node(const cubinet_kernel *kernel, CUgraphExec exec,
                                                           CUgraphNode node,
                                                           const cubinet_launch_config *config,
                                                           const cubinet_arg *args, size_t arg_count);

#ifdef __cplusplus
}
#endif

#endif
