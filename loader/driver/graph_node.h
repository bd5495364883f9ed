/* SPDX-License-Identifier: Apache-2.0 */
/* What adding nodes to graphs and changing them have in common. */
#ifndef CBN_GRAPH_NODE_H
#define CBN_GRAPH_NODE_H

#include "loader/driver/launch_arguments.h"

/* The driver of a kernel. */
const struct cbn_driver_table *cbn_graph_driver(const cubinet_kernel *kernel);

/* What came of a call of the driver about a kernel. */
cubinet_status cbn_graph_failed(const cubinet_kernel *kernel, cbn_cu_result result, const char *call);

/* A launch as the driver has it in a node, without its attributes. The node refers to the values of `params`.
 */
cbn_cu_kernel_node cbn_graph_node_of(const struct cbn_launch *launch, const struct cbn_params *params,
                                     CUfunction function);

/* Sets those attributes of a node that a launch has. */
cubinet_status cbn_graph_set_attributes(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                        CUgraphNode node);

/* That an argument of a function is NULL. */
cubinet_status cbn_graph_missing(const char *function, const char *what);

#endif
