/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/launch_config.h"

#include "loader/core/support/volume.h"
#include "loader/driver/launch_attributes.h"

static cbn_cu_launch_attribute *add_attribute(struct cbn_driver_launch *out, unsigned int id)
{
    cbn_cu_launch_attribute *attribute = &out->attributes[out->config.attribute_count++];
    *attribute = (cbn_cu_launch_attribute){.id = id};
    return attribute;
}

void cbn_driver_launch_fill(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                            struct cbn_driver_launch *out)
{
    out->config = (cbn_cu_launch_config){
        .grid_x = launch->grid[0],
        .grid_y = launch->grid[1],
        .grid_z = launch->grid[2],
        .block_x = launch->block[0],
        .block_y = launch->block[1],
        .block_z = launch->block[2],
        .dynamic_shared_bytes = launch->dynamic_shared_bytes,
        .stream = launch->stream,
    };
    if (launch->cooperative) {
        add_attribute(out, CBN_CU_LAUNCH_COOPERATIVE)->value.cooperative = 1;
    }
    /* A cluster that the kernel was compiled for is not an attribute of its launches. */
    if (launch->cluster[0] && !cbn_recorded_volume(kernel->record.resources.required_cluster)) {
        cbn_cu_launch_attribute *attribute = add_attribute(out, CBN_CU_LAUNCH_CLUSTER_DIMENSION);
        attribute->value.cluster.x = launch->cluster[0];
        attribute->value.cluster.y = launch->cluster[1];
        attribute->value.cluster.z = launch->cluster[2];
    }
    if (launch->programmatic || launch->more) {
        out->config.attribute_count =
            cbn_attributes_put(launch, out->attributes, out->config.attribute_count);
    }
    out->config.attributes = out->config.attribute_count ? out->attributes : NULL;
}

CUgraphDeviceNode cbn_driver_launch_device_node(const struct cbn_driver_launch *launch)
{
    for (unsigned int i = 0; i < launch->config.attribute_count; i++) {
        if (launch->attributes[i].id == CBN_CU_LAUNCH_DEVICE_UPDATABLE_KERNEL_NODE) {
            return launch->attributes[i].value.device_updatable.node;
        }
    }
    return NULL;
}
