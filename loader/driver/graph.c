/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as nodes of graphs. */
#include "loader/core/support/error.h"
#include "loader/core/support/volume.h"
#include "loader/driver/errors.h"
#include "loader/driver/graph_memory.h"
#include "loader/driver/launch_attributes.h"
#include "loader/driver/launch_config.h"

#include <cubinet/graph.h>

#include <stdlib.h>

/* A node that is to be added. */
struct addition {
    CUgraph graph;
    const CUgraphNode *dependencies;
    size_t count;
    CUgraphNode *nodes; /* of memory: allocated for each hidden parameter, then freed for each */
    CUgraphNode node;
};

static const struct cbn_driver_table *driver_of(const cubinet_kernel *kernel)
{
    return &kernel->module->driver->cu;
}

static cubinet_status failed(const cubinet_kernel *kernel, cbn_cu_result result, const char *call)
{
    return result == CBN_CU_SUCCESS ? CUBINET_OK
                                    : cbn_driver_failed(driver_of(kernel), result, "%s for kernel '%s'", call,
                                                        cbn_kernel_expression(kernel));
}

static cbn_cu_kernel_node node_of(const struct cbn_launch *launch, const struct cbn_params *params,
                                  CUfunction function)
{
    return (cbn_cu_kernel_node){
        .function = function,
        .grid_x = launch->grid[0],
        .grid_y = launch->grid[1],
        .grid_z = launch->grid[2],
        .block_x = launch->block[0],
        .block_y = launch->block[1],
        .block_z = launch->block[2],
        .dynamic_shared_bytes = launch->dynamic_shared_bytes,
        .params = params->values,
    };
}

/* What the driver wrote for a node that kernels update. It writes to no value that it is given to set. */
static cubinet_status tell_device_node(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                       CUgraphNode node)
{
    cbn_cu_launch_value value = {{0}};
    if (!launch->more || !launch->more->out_device_node) {
        return CUBINET_OK;
    }
    cbn_cu_result result = driver_of(kernel)->cuGraphKernelNodeGetAttribute(
        node, CBN_CU_LAUNCH_DEVICE_UPDATABLE_KERNEL_NODE, &value);
    if (result == CBN_CU_SUCCESS) {
        *launch->more->out_device_node = value.device_updatable.node;
    }
    return failed(kernel, result, "cuGraphKernelNodeGetAttribute");
}

static cubinet_status set_attributes(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                     CUgraphNode node)
{
    struct cbn_driver_launch driver_launch;
    struct cbn_launch in_graph = *launch;
    in_graph.programmatic = false; /* which edges say */
    cbn_driver_launch_fill(kernel, &in_graph, &driver_launch);
    cbn_cu_result result = CBN_CU_SUCCESS;
    for (unsigned int i = 0; result == CBN_CU_SUCCESS && i < driver_launch.config.attribute_count; i++) {
        const cbn_cu_launch_attribute *attribute = &driver_launch.attributes[i];
        result = driver_of(kernel)->cuGraphKernelNodeSetAttribute(node, attribute->id, &attribute->value);
    }
    cubinet_status status = failed(kernel, result, "cuGraphKernelNodeSetAttribute");
    return status ? status : tell_device_node(kernel, launch, node);
}

/* The edges of a node that may start before what it depends on has ended. */
static cubinet_status add_programmatic(const cubinet_kernel *kernel, const struct addition *addition)
{
    static const cbn_cu_edge edge = {.from_port = CBN_CU_GRAPH_PORT_PROGRAMMATIC,
                                     .type = CBN_CU_GRAPH_DEPENDENCY_PROGRAMMATIC};
    cbn_cu_result result = CBN_CU_SUCCESS;
    for (size_t i = 0; result == CBN_CU_SUCCESS && i < addition->count; i++) {
        result = driver_of(kernel)->cuGraphAddDependencies(addition->graph, &addition->dependencies[i],
                                                           &addition->node, &edge, 1);
    }
    return failed(kernel, result, "adding programmatic edges");
}

static cubinet_status check_programmatic(const cubinet_kernel *kernel, const struct cbn_params *params)
{
    if (!driver_of(kernel)->cuGraphAddDependencies) {
        return cbn_error(CUBINET_ERROR_DRIVER_TOO_OLD,
                         "kernel '%s': programmatic edges of graphs need a driver for CUDA 12.3 or later",
                         cbn_kernel_expression(kernel));
    }
    if (cbn_graph_needs_memory(kernel, params)) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "kernel '%s' has hidden memory, whose node would be between it and what it depends "
                         "on: it can't be a programmatic one",
                         cbn_kernel_expression(kernel));
    }
    return CUBINET_OK;
}

static cubinet_status add_kernel(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                 const struct cbn_params *params, CUfunction function,
                                 struct addition *addition)
{
    const struct cbn_driver_table *cu = driver_of(kernel);
    const cbn_cu_kernel_node node = node_of(launch, params, function);
    CUgraphNode *memory = addition->nodes;
    size_t memory_count = 0;
    for (uint32_t i = 0; i < params->hidden_count; i++) {
        if (memory[i]) {
            memory[params->hidden_count + memory_count++] = memory[i]; /* a list without gaps */
        }
    }
    const CUgraphNode *before = memory_count ? memory + params->hidden_count : addition->dependencies;
    size_t count = memory_count ? memory_count : launch->programmatic ? 0 : addition->count;
    cbn_cu_result result =
        cu->cuGraphAddKernelNode(&addition->node, addition->graph, count ? before : NULL, count, &node);
    for (size_t i = 0; i < memory_count; i++) {
        memory[params->hidden_count + i] = NULL;
    }
    if (result != CBN_CU_SUCCESS) {
        addition->node = NULL;
        return failed(kernel, result, "cuGraphAddKernelNode");
    }
    return launch->programmatic ? add_programmatic(kernel, addition) : CUBINET_OK;
}

static void remove_nodes(const cubinet_kernel *kernel, const struct addition *addition, size_t count)
{
    struct cbn_kept_error kept = cbn_error_keep();
    for (size_t i = count; i > count / 2; i--) {
        if (addition->nodes[i - 1]) {
            driver_of(kernel)->cuGraphDestroyNode(addition->nodes[i - 1]);
        }
    }
    if (addition->node) {
        driver_of(kernel)->cuGraphDestroyNode(addition->node);
    }
    for (size_t i = count / 2; i > 0; i--) {
        if (addition->nodes[i - 1]) {
            driver_of(kernel)->cuGraphDestroyNode(addition->nodes[i - 1]);
        }
    }
    cbn_error_put_back(&kept);
}

static cubinet_status add_all(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                              const struct cbn_params *params, CUfunction function, struct addition *addition)
{
    cubinet_status status = cbn_graph_allocate(kernel, launch, params, addition->graph,
                                               addition->dependencies, addition->count, addition->nodes);
    if (!status) {
        status = add_kernel(kernel, launch, params, function, addition);
    }
    if (!status) {
        status = set_attributes(kernel, launch, addition->node);
    }
    if (!status) {
        status = cbn_graph_free(kernel, params, addition->graph, addition->node,
                                addition->nodes + params->hidden_count);
    }
    if (status) {
        remove_nodes(kernel, addition, 2 * (size_t)params->hidden_count);
    }
    return status;
}

static cubinet_status add_in_context(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                     const struct cbn_params *params, void *user)
{
    struct addition *addition = user;
    CUfunction function = NULL;
    cubinet_status status = cbn_attributes_suit_node(kernel, launch);
    if (!status && launch->programmatic) {
        status = check_programmatic(kernel, params);
    }
    if (!status) {
        status = cbn_launch_ready(kernel, launch, params, &function);
    }
    if (status) {
        return status;
    }
    addition->nodes = calloc(2 * (size_t)params->hidden_count + 1, sizeof(*addition->nodes));
    status = addition->nodes ? add_all(kernel, launch, params, function, addition) : cbn_error_memory();
    free(addition->nodes);
    return status;
}

static cubinet_status missing(const char *function, const char *what)
{
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", function, what);
}

cubinet_status cubinet_kernel_add_node(const cubinet_kernel *kernel, CUgraph graph,
                                       const CUgraphNode *dependencies, size_t dependency_count,
                                       const cubinet_launch_config *config, const cubinet_arg *args,
                                       size_t arg_count, CUgraphNode *out_node)
{
    struct addition addition = {.graph = graph, .dependencies = dependencies, .count = dependency_count};
    if (!graph || !out_node || (dependency_count > 0 && !dependencies)) {
        return missing("cubinet_kernel_add_node", !graph ? "graph" : !out_node ? "out_node" : "dependencies");
    }
    cubinet_status status = cbn_launch_prepare("cubinet_kernel_add_node", kernel, config, args, arg_count,
                                               add_in_context, &addition);
    if (!status) {
        *out_node = addition.node;
    }
    return status;
}

/* A node whose kernel or launch is another from now on. */
struct change {
    CUgraphNode node;
    CUgraphExec exec; /* NULL: of the graph itself */
};

/* Cooperation and cluster of a node in an executable graph stay what they were. */
static cubinet_status check_kept(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                 CUgraphNode node)
{
    const struct cbn_driver_table *cu = driver_of(kernel);
    cbn_cu_launch_value cooperative = {{0}};
    cbn_cu_launch_value cluster = {{0}};
    cbn_cu_result result = cu->cuGraphKernelNodeGetAttribute(node, CBN_CU_LAUNCH_COOPERATIVE, &cooperative);
    if (result == CBN_CU_SUCCESS) {
        result = cu->cuGraphKernelNodeGetAttribute(node, CBN_CU_LAUNCH_CLUSTER_DIMENSION, &cluster);
    }
    if (result != CBN_CU_SUCCESS) {
        return failed(kernel, result, "cuGraphKernelNodeGetAttribute");
    }
    const uint32_t old[3] = {cluster.cluster.x, cluster.cluster.y, cluster.cluster.z};
    bool is_own = cbn_recorded_volume(kernel->record.resources.required_cluster) > 0;
    bool is_kept = (cooperative.cooperative != 0) == launch->cooperative && !launch->more;
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
    const struct cbn_driver_table *cu = driver_of(kernel);
    if (change->exec) {
        return failed(kernel, cu->cuGraphExecKernelNodeSetParams(change->exec, change->node, node),
                      "cuGraphExecKernelNodeSetParams");
    }
    const cbn_cu_launch_value cooperative = {.cooperative = launch->cooperative};
    cubinet_status status =
        failed(kernel, cu->cuGraphKernelNodeSetParams(change->node, node), "cuGraphKernelNodeSetParams");
    if (!status) { /* which the node may have had */
        status = failed(
            kernel, cu->cuGraphKernelNodeSetAttribute(change->node, CBN_CU_LAUNCH_COOPERATIVE, &cooperative),
            "cuGraphKernelNodeSetAttribute");
    }
    return status ? status : set_attributes(kernel, launch, change->node);
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
    const cbn_cu_kernel_node node = node_of(launch, params, function);
    return set_params(kernel, launch, change, &node);
}

cubinet_status cubinet_kernel_update_node(const cubinet_kernel *kernel, CUgraphNode node,
                                          const cubinet_launch_config *config, const cubinet_arg *args,
                                          size_t arg_count)
{
    struct change change = {.node = node};
    return node ? cbn_launch_prepare("cubinet_kernel_update_node", kernel, config, args, arg_count,
                                     change_in_context, &change)
                : missing("cubinet_kernel_update_node", "node");
}

cubinet_status cubinet_kernel_update_exec_node(const cubinet_kernel *kernel, CUgraphExec exec,
                                               CUgraphNode node, const cubinet_launch_config *config,
                                               const cubinet_arg *args, size_t arg_count)
{
    struct change change = {.node = node, .exec = exec};
    return node && exec ? cbn_launch_prepare("cubinet_kernel_update_exec_node", kernel, config, args,
                                             arg_count, change_in_context, &change)
                        : missing("cubinet_kernel_update_exec_node", exec ? "node" : "exec");
}
