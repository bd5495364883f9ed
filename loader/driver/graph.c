/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that become nodes of graphs. */
#include "loader/core/support/error.h"
#include "loader/driver/graph_memory.h"
#include "loader/driver/graph_node.h"
#include "loader/driver/launch_attributes.h"

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

/* The edges of a node that may start before what it depends on has ended. */
static cubinet_status add_programmatic(const cubinet_kernel *kernel, const struct addition *addition)
{
    static const cbn_cu_edge edge = {.from_port = CBN_CU_GRAPH_PORT_PROGRAMMATIC,
                                     .type = CBN_CU_GRAPH_DEPENDENCY_PROGRAMMATIC};
    cbn_cu_result result = CBN_CU_SUCCESS;
    for (size_t i = 0; result == CBN_CU_SUCCESS && i < addition->count; i++) {
        result = cbn_graph_driver(kernel)->cuGraphAddDependencies(addition->graph, &addition->dependencies[i],
                                                                  &addition->node, &edge, 1);
    }
    return cbn_graph_failed(kernel, result, "adding programmatic edges");
}

static cubinet_status check_programmatic(const cubinet_kernel *kernel, const struct cbn_params *params)
{
    if (!cbn_graph_driver(kernel)->cuGraphAddDependencies) {
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
    const struct cbn_driver_table *cu = cbn_graph_driver(kernel);
    const cbn_cu_kernel_node node = cbn_graph_node_of(launch, params, function);
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
        return cbn_graph_failed(kernel, result, "cuGraphAddKernelNode");
    }
    return launch->programmatic ? add_programmatic(kernel, addition) : CUBINET_OK;
}

static void remove_nodes(const cubinet_kernel *kernel, const struct addition *addition, size_t count)
{
    struct cbn_kept_error kept = cbn_error_keep();
    for (size_t i = count; i > count / 2; i--) {
        if (addition->nodes[i - 1]) {
            cbn_graph_driver(kernel)->cuGraphDestroyNode(addition->nodes[i - 1]);
        }
    }
    if (addition->node) {
        cbn_graph_driver(kernel)->cuGraphDestroyNode(addition->node);
    }
    for (size_t i = count / 2; i > 0; i--) {
        if (addition->nodes[i - 1]) {
            cbn_graph_driver(kernel)->cuGraphDestroyNode(addition->nodes[i - 1]);
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
        status = cbn_graph_set_attributes(kernel, launch, addition->node);
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

cubinet_status cubinet_kernel_add_node(const cubinet_kernel *kernel, CUgraph graph,
                                       const CUgraphNode *dependencies, size_t dependency_count,
                                       const cubinet_launch_config *config, const cubinet_arg *args,
                                       size_t arg_count, CUgraphNode *out_node)
{
    struct addition addition = {.graph = graph, .dependencies = dependencies, .count = dependency_count};
    if (!graph || !out_node || (dependency_count > 0 && !dependencies)) {
        return cbn_graph_missing("cubinet_kernel_add_node", !graph      ? "graph"
                                                            : !out_node ? "out_node"
                                                                        : "dependencies");
    }
    cubinet_status status = cbn_launch_prepare("cubinet_kernel_add_node", kernel, config, args, arg_count,
                                               add_in_context, &addition);
    if (!status) {
        *out_node = addition.node;
    }
    return status;
}
