/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of hidden parameters in graphs. */
#ifndef CBN_GRAPH_MEMORY_H
#define CBN_GRAPH_MEMORY_H

#include "loader/driver/launch_arguments.h"

/* Whether a launch has hidden parameters that are given memory. */
bool cbn_graph_needs_memory(const cubinet_kernel *kernel, const struct cbn_params *params);

/* Adds a node for each such parameter, after the dependencies. `nodes`: one for each hidden parameter, NULL
 * where none was added, to be destroyed if the rest fails. */
cubinet_status cbn_graph_allocate(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                  const struct cbn_params *params, CUgraph graph,
                                  const CUgraphNode *dependencies, size_t count, CUgraphNode *nodes);

/* Adds nodes that free what was allocated, after the kernel's node. */
cubinet_status cbn_graph_free(const cubinet_kernel *kernel, const struct cbn_params *params, CUgraph graph,
                              CUgraphNode node, CUgraphNode *nodes);

/* Takes the addresses from a node that the kernel has already, for a launch that needs no more. */
cubinet_status cbn_graph_take_memory(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                     const struct cbn_params *params, CUfunction function, CUgraphNode node);

#endif
