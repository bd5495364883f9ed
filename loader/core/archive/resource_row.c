/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/archive/resource_row.h"

#include "loader/core/archive/format.h"

static void put_triple(unsigned char *bytes, const uint32_t values[3])
{
    for (size_t i = 0; i < 3; i++) {
        cbn_put32(bytes + 4 * i, values[i]);
    }
}

void cbn_resource_row_put(unsigned char *row, const cubinet_kernel_resources *resources)
{
    cbn_put32(row + CBN_RESOURCE_REGISTERS, resources->registers);
    cbn_put32(row + CBN_RESOURCE_STATIC_SHARED, resources->static_shared_bytes);
    cbn_put32(row + CBN_RESOURCE_LOCAL, resources->local_bytes);
    cbn_put32(row + CBN_RESOURCE_CONSTANT, resources->constant_bytes);
    cbn_put32(row + CBN_RESOURCE_MAX_THREADS, resources->max_threads_per_block);
    put_triple(row + CBN_RESOURCE_MAX_BLOCK, resources->max_block);
    put_triple(row + CBN_RESOURCE_REQUIRED_BLOCK, resources->required_block);
    cbn_put32(row + CBN_RESOURCE_MIN_BLOCKS, resources->min_blocks);
    put_triple(row + CBN_RESOURCE_REQUIRED_CLUSTER, resources->required_cluster);
    cbn_put32(row + CBN_RESOURCE_MAX_CLUSTER, resources->max_cluster_blocks);
    cbn_put32(row + CBN_RESOURCE_SPILL_STORE, resources->spill_store_bytes);
    cbn_put32(row + CBN_RESOURCE_SPILL_LOAD, resources->spill_load_bytes);
    cbn_put32(row + CBN_RESOURCE_BARRIERS, resources->barriers);
}
