/* SPDX-License-Identifier: Apache-2.0 */
#include "target_check.h"

#include <stdint.h>
#include <string.h>

cbn_cu_result target_check_prepare(const struct gpu_calls *calls, CUdeviceptr *out_memory)
{
    static uint32_t poison[TARGET_CHECK_COUNT];
    memset(poison, 0xff, sizeof(poison));
    cbn_cu_result result = calls->cuMemAlloc(out_memory, sizeof(poison));
    return result != CBN_CU_SUCCESS ? result : calls->cuMemcpyHtoD(*out_memory, poison, sizeof(poison));
}

static bool is_right(const uint32_t *values)
{
    for (uint32_t i = 0; i < TARGET_CHECK_COUNT; i++) {
        uint32_t last = i % 32;
        if (values[i] != i * TARGET_CHECK_FACTOR + last * (last + 1) / 2) {
            return false;
        }
    }
    return true;
}

cbn_cu_result target_check_finish(const struct gpu_calls *calls, CUdeviceptr memory, bool *out_right)
{
    static uint32_t values[TARGET_CHECK_COUNT];
    cbn_cu_result result = calls->cuMemcpyDtoH(values, memory, sizeof(values));
    cbn_cu_result freed = calls->cuMemFree(memory);
    *out_right = result == CBN_CU_SUCCESS && is_right(values);
    return result != CBN_CU_SUCCESS ? result : freed;
}
