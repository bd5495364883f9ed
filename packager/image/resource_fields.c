/* SPDX-License-Identifier: Apache-2.0 */
#include "image/resource_fields.h"

#define FIELD(member, count)                                                                                 \
    {                                                                                                        \
#member, offsetof(cubinet_kernel_resources, member), count                                           \
    }

const struct resource_field resource_fields[] = {
    FIELD(registers, 1),          FIELD(static_shared_bytes, 1),
    FIELD(local_bytes, 1),        FIELD(spill_store_bytes, 1),
    FIELD(spill_load_bytes, 1),   FIELD(constant_bytes, 1),
    FIELD(barriers, 1),           FIELD(max_threads_per_block, 1),
    FIELD(max_block, 3),          FIELD(required_block, 3),
    FIELD(min_blocks, 1),         FIELD(required_cluster, 3),
    FIELD(max_cluster_blocks, 1), FIELD(param_bytes, 1),
};

const size_t resource_field_count = sizeof(resource_fields) / sizeof(resource_fields[0]);

uint32_t resource_value(const cubinet_kernel_resources *resources, const struct resource_field *field,
                        size_t i)
{
    const char *first = (const char *)resources + field->offset;
    return ((const uint32_t *)(const void *)first)[i];
}
