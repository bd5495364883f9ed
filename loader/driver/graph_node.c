/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/graph_node.h"

#include "loader/core/support/error.h"
#include "loader/driver/errors.h"
#include "loader/driver/launch_config.h"

#include <cubinet/graph.h>

const struct cbn_driver_table *cbn_graph_driver(const cubinet_kernel *kernel)
{
    return &kernel->module->driver->cu;
}

cubinet_status cbn_graph_failed(const cubinet_kernel *kernel, cbn_cu_result result, const char *call)
{
    return result == CBN_CU_SUCCESS
               ? CUBINET_OK
               : cbn_driver_failed(cbn_graph_driver(kernel), result, "%s for kernel '%s'", call,
                                   cbn_kernel_expression(kernel));
}

cbn_cu_kernel_node cbn_graph_node_of(const struct cbn_launch *launch, const struct cbn_params *params,
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
    cbn_cu_result result = cbn_graph_driver(kernel)->cuGraphKernelNodeGetAttribute(
        node, CBN_CU_LAUNCH_DEVICE_UPDATABLE_KERNEL_NODE, &value);
    if (result == CBN_CU_SUCCESS) {
        *launch->more->out_device_node = value.device_updatable.node;
    }
    return cbn_graph_failed(kernel, result, "cuGraphKernelNodeGetAttribute");
}

cubinet_status cbn_graph_set_attributes(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                        CUgraphNode node)
{
    struct cbn_driver_launch driver_launch;
    struct cbn_launch in_graph = *launch;
    in_graph.programmatic = false; /* which edges say */
    cbn_driver_launch_fill(kernel, &in_graph, &driver_launch);
    cbn_cu_result result = CBN_CU_SUCCESS;
    for (unsigned int i = 0; result == CBN_CU_SUCCESS && i < driver_launch.config.attribute_count; i++) {
        const cbn_cu_launch_attribute *attribute = &driver_launch.attributes[i];
        result =
            cbn_graph_driver(kernel)->cuGraphKernelNodeSetAttribute(node, attribute->id, &attribute->value);
    }
    cubinet_status status = cbn_graph_failed(kernel, result, "cuGraphKernelNodeSetAttribute");
    return status ? status : tell_device_node(kernel, launch, node);
}

cubinet_status cbn_graph_missing(const char *function, const char *what)
{
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", function, what);
}
