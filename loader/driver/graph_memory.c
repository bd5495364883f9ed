/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/graph_memory.h"

#include "loader/core/support/error.h"
#include "loader/core/support/volume.h"
#include "loader/driver/errors.h"

#include <string.h>

static const cubinet_hidden_param *hidden_of(const cubinet_kernel *kernel, uint32_t i)
{
    const cubinet_hidden_param *hidden = &kernel->record.launch.hidden[i];
    bool has_memory = hidden->kind != CUBINET_HIDDEN_LAUNCH_BOUNDS && hidden->bytes_per_block > 0;
    return has_memory ? hidden : NULL;
}

bool cbn_graph_needs_memory(const cubinet_kernel *kernel, const struct cbn_params *params)
{
    bool needs = false;
    for (uint32_t i = 0; i < params->hidden_count; i++) {
        needs |= hidden_of(kernel, i) != NULL;
    }
    return needs;
}

cubinet_status cbn_graph_allocate(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                  const struct cbn_params *params, CUgraph graph,
                                  const CUgraphNode *dependencies, size_t count, CUgraphNode *nodes)
{
    const struct cubinet_module *module = kernel->module;
    const struct cbn_driver_table *cu = &module->driver->cu;
    for (uint32_t i = 0; i < params->hidden_count; i++) {
        const cubinet_hidden_param *hidden = hidden_of(kernel, i);
        uint64_t bytes = 0;
        if (!hidden) {
            continue;
        }
        cubinet_status status = cbn_hidden_bytes(kernel, launch, hidden, &bytes);
        if (status) {
            return status;
        }
        cbn_cu_alloc_node params_of_node = {.bytes = (size_t)bytes};
        params_of_node.pool.type = CBN_CU_MEM_ALLOCATION_PINNED;
        params_of_node.pool.location_type = CBN_CU_MEM_LOCATION_DEVICE;
        params_of_node.pool.location_id = module->device->handle;
        cbn_cu_result result =
            cu->cuGraphAddMemAllocNode(&nodes[i], graph, dependencies, count, &params_of_node);
        if (result != CBN_CU_SUCCESS) {
            nodes[i] = NULL;
            return cbn_driver_failed(cu, result, "adding %llu bytes of scratch memory for kernel '%s'",
                                     (unsigned long long)bytes, cbn_kernel_expression(kernel));
        }
        cbn_hidden_set(hidden, params_of_node.address, &params->hidden[i]);
    }
    return CUBINET_OK;
}

cubinet_status cbn_graph_free(const cubinet_kernel *kernel, const struct cbn_params *params, CUgraph graph,
                              CUgraphNode node, CUgraphNode *nodes)
{
    const struct cbn_driver_table *cu = &kernel->module->driver->cu;
    for (uint32_t i = 0; i < params->hidden_count; i++) {
        if (!params->hidden[i].memory) {
            continue;
        }
        cbn_cu_result result =
            cu->cuGraphAddMemFreeNode(&nodes[i], graph, &node, 1, params->hidden[i].memory);
        if (result != CBN_CU_SUCCESS) {
            nodes[i] = NULL;
            return cbn_driver_failed(cu, result, "freeing the scratch memory of kernel '%s' in a graph",
                                     cbn_kernel_expression(kernel));
        }
    }
    return CUBINET_OK;
}

static cubinet_status check_kernel(const cubinet_kernel *kernel, CUfunction function,
                                   const cbn_cu_kernel_node *old)
{
    bool is_same = old->function ? old->function == function : old->kernel == cbn_kernel_handle(kernel);
    return is_same && old->params
               ? CUBINET_OK
               : cbn_error(
                     CUBINET_ERROR_INVALID_ARGUMENT,
                     "kernel '%s' has hidden memory, and the node was added with another kernel: add a node "
                     "for this one",
                     cbn_kernel_expression(kernel));
}

/* For how many blocks the memory at an address suffices that a node before this one allocates; 0 if none is
 * known to. */
static uint64_t allocated_blocks(const struct cbn_driver_table *cu, const cubinet_hidden_param *hidden,
                                 CUgraphNode node, CUdeviceptr address)
{
    enum { MOST = 64 }; /* the memory's are the first */
    CUgraphNode before[MOST];
    size_t count = MOST;
    if (cu->cuGraphNodeGetDependencies(node, before, &count) != CBN_CU_SUCCESS) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        cbn_cu_alloc_node allocation = {0};
        struct cbn_hidden value = {0};
        if (cu->cuGraphMemAllocNodeGetParams(before[i], &allocation) == CBN_CU_SUCCESS) {
            cbn_hidden_set(hidden, allocation.address, &value);
        }
        if (value.address && value.address == address) {
            return cbn_hidden_blocks(hidden, allocation.bytes);
        }
    }
    return 0;
}

/* The node may use less of its memory now than it was added with. */
static cubinet_status check_blocks(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                   const cubinet_hidden_param *hidden, CUgraphNode node,
                                   const cbn_cu_kernel_node *old, CUdeviceptr address)
{
    const uint32_t grid[3] = {old->grid_x, old->grid_y, old->grid_z};
    uint64_t blocks = cbn_volume(grid);
    if (cbn_volume(launch->grid) > blocks) {
        uint64_t allocated = allocated_blocks(&kernel->module->driver->cu, hidden, node, address);
        blocks = allocated > blocks ? allocated : blocks;
    }
    return cbn_volume(launch->grid) <= blocks
               ? CUBINET_OK
               : cbn_error(
                     CUBINET_ERROR_LIMIT,
                     "kernel '%s': the node has hidden memory for %llu blocks; a grid of %llu was asked "
                     "for: add a node with the largest grid, and update that",
                     cbn_kernel_expression(kernel), (unsigned long long)blocks,
                     (unsigned long long)cbn_volume(launch->grid));
}

cubinet_status cbn_graph_take_memory(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                     const struct cbn_params *params, CUfunction function, CUgraphNode node)
{
    const struct cbn_driver_table *cu = &kernel->module->driver->cu;
    cbn_cu_kernel_node old = {0};
    cbn_cu_result result = cu->cuGraphKernelNodeGetParams(node, &old);
    if (result != CBN_CU_SUCCESS) {
        return cbn_driver_failed(cu, result, "cuGraphKernelNodeGetParams of a node for kernel '%s'",
                                 cbn_kernel_expression(kernel));
    }
    cubinet_status status = check_kernel(kernel, function, &old);
    for (uint32_t i = 0; !status && i < params->hidden_count; i++) {
        const cubinet_hidden_param *hidden = hidden_of(kernel, i);
        CUdeviceptr *address = &params->hidden[i].address;
        if (hidden) {
            memcpy(address, old.params[hidden->param], sizeof(*address));
            status = check_blocks(kernel, launch, hidden, node, &old, *address);
        }
    }
    return status;
}
