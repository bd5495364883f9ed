/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/multiprocessors.h"

/* The number of a context never changes. A driver that can't tell, older than CUDA 12.4, has no green
 * contexts. */
static uint32_t ask(const struct cubinet_module *module)
{
    const struct cbn_driver_table *cu = &module->driver->cu;
    cbn_cu_resource resource = {0};
    bool is_told =
        cu->cuCtxGetDevResource &&
        cu->cuCtxGetDevResource(module->context.handle, &resource, CBN_CU_RESOURCE_SM) == CBN_CU_SUCCESS &&
        resource.type == CBN_CU_RESOURCE_SM && resource.value.multiprocessors > 0;
    return is_told ? resource.value.multiprocessors : module->device->limits.multiprocessor_count;
}

uint32_t cbn_multiprocessors(const struct cubinet_module *module)
{
    _Atomic(uint32_t) *kept = &((struct cubinet_module *)module)->multiprocessors; /* a cache */
    uint32_t count = atomic_load_explicit(kept, memory_order_relaxed);
    if (!count) {
        count = ask(module);
        atomic_store_explicit(kept, count, memory_order_relaxed);
    }
    return count;
}
