/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of graphs whose kernel or launch changes. */
#include "loader/core/support/error.h"
#include "loader/core/support/volume.h"
#include "loader/driver/graph_memory.h"
#include "loader/driver/graph_node.h"
#include "loader/driver/launch_attributes.h"

#include <cubinet/graph.h>

/* A node whose kernel or launch is another from now on. */
struct change {
    CUgraphNode node;
    CUgraphExec exec; /* NULL: of the graph itself */
};

/* The part of a configuration that the driver keeps in a node's attributes, not in its parameters. */
struct shape {
    cbn_cu_launch_value cooperative;
    cbn_cu_launch_value cluster; /* zeros: the kernel's own, or none */
};

static cubinet_status get_shape(const cubinet_kernel *kernel, CUgraphNode node, struct shape *out_shape)
{
    const struct cbn_driver_table *cu = cbn_graph_driver(kernel);
    *out_shape = (struct shape){0};
    cbn_cu_result result =
        cu->cuGraphKernelNodeGetAttribute(node, CBN_CU_LAUNCH_COOPERATIVE, &out_shape->cooperative);
    if (result == CBN_CU_SUCCESS) {
        result =
            cu->cuGraphKernelNodeGetAttribute(node, CBN_CU_LAUNCH_CLUSTER_DIMENSION, &out_shape->cluster);
    }
    return cbn_graph_failed(kernel, result, "cuGraphKernelNodeGetAttribute");
}

/* The driver checks a node's parameters and its attributes against each other, so the old attributes are
 * taken back before there are new parameters. Only what the node had: a GPU without clusters has no attribute
 * for them. */
static cubinet_status replace_shape(const cubinet_kernel *kernel, CUgraphNode node, const struct shape *old,
                                    const struct shape *shape)
{
    const struct cbn_driver_table *cu = cbn_graph_driver(kernel);
    cbn_cu_result result = CBN_CU_SUCCESS;
    if (old->cooperative.cooperative) {
        result = cu->cuGraphKernelNodeSetAttribute(node, CBN_CU_LAUNCH_COOPERATIVE, &shape->cooperative);
    }
    if (result == CBN_CU_SUCCESS && old->cluster.cluster.x) {
        result = cu->cuGraphKernelNodeSetAttribute(node, CBN_CU_LAUNCH_CLUSTER_DIMENSION, &shape->cluster);
    }
    return cbn_graph_failed(kernel, result, "cuGraphKernelNodeSetAttribute");
}

/* Cooperation and cluster of a node in an executable graph stay what they were. */
static cubinet_status check_kept(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                 CUgraphNode node)
{
    struct shape shape;
    cubinet_status status = get_shape(kernel, node, &shape);
    if (status) {
        return status;
    }
    const cbn_cu_launch_value *cluster = &shape.cluster;
    const uint32_t old[3] = {cluster->cluster.x, cluster->cluster.y, cluster->cluster.z};
    bool is_own = cbn_recorded_volume(kernel->record.resources.required_cluster) > 0;
    bool is_kept = (shape.cooperative.cooperative != 0) == launch->cooperative && !launch->more;
    for (int i = 0; i < 3; i++) {
        is_kept &= is_own || (old[i] ? old[i] : 1) == (launch->cluster[i] ? launch->cluster[i] : 1);
    }
    return is_kept ? CUBINET_OK
                   : cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                               "kernel '%s': cooperation, cluster and attributes of a node can't be changed "
                               "in an executable graph: update the graph, and instantiate it",
                               cbn_kernel_expression(kernel));
}

static cubinet_status set_params(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                 const struct change *change, const cbn_cu_kernel_node *node)
{
    const struct cbn_driver_table *cu = cbn_graph_driver(kernel);
    const struct shape none = {0};
    struct shape old;
    if (change->exec) {
        return cbn_graph_failed(kernel, cu->cuGraphExecKernelNodeSetParams(change->exec, change->node, node),
                                "cuGraphExecKernelNodeSetParams");
    }
    cubinet_status status = get_shape(kernel, change->node, &old);
    if (status) {
        return status;
    }
    status = replace_shape(kernel, change->node, &old, &none);
    if (!status) {
        status = cbn_graph_failed(kernel, cu->cuGraphKernelNodeSetParams(change->node, node),
                                  "cuGraphKernelNodeSetParams");
    }
    if (status) {
        struct cbn_kept_error kept = cbn_error_keep();
        replace_shape(kernel, change->node, &old, &old);
        cbn_error_put_back(&kept);
        return status;
    }
    return cbn_graph_set_attributes(kernel, launch, change->node);
}

static cubinet_status change_in_context(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                        const struct cbn_params *params, void *user)
{
    const struct change *change = user;
    CUfunction function = NULL;
    cubinet_status status = cbn_attributes_suit_node(kernel, launch);
    if (!status && change->exec) {
        status = check_kept(kernel, launch, change->node);
    }
    if (!status) {
        status = cbn_launch_ready(kernel, launch, params, &function);
    }
    if (!status && cbn_graph_needs_memory(kernel, params)) {
        status = cbn_graph_take_memory(kernel, launch, params, function, change->node);
    }
    if (status) {
        return status;
    }
    const cbn_cu_kernel_node node = cbn_graph_node_of(launch, params, function);
    return set_params(kernel, launch, change, &node);
}

cubinet_status cubinet_kernel_update_node(const cubinet_kernel *kernel, CUgraphNode node,
                                          const cubinet_launch_config *config, const cubinet_arg *args,
                                          size_t arg_count)
{
    struct change change = {.node = node};
    return node ? cbn_launch_prepare("cubinet_kernel_update_node", kernel, config, args, arg_count,
                                     change_in_context, &change)
                : cbn_graph_missing("cubinet_kernel_update_node", "node");
}

cubinet_status cubinet_kernel_update_exec_node(const cubinet_kernel *kernel, CUgraphExec exec,
                                               CUgraphNode node, const cubinet_launch_config *config,
                                               const cubinet_arg *args, size_t arg_count)
{
    struct change change = {.node = node, .exec = exec};
    return node && exec ? cbn_launch_prepare("cubinet_kernel_update_exec_node", kernel, config, args,
                                             arg_count, change_in_context, &change)
                        : cbn_graph_missing("cubinet_kernel_update_exec_node", exec ? "node" : "exec");
}
