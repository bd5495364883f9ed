/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/device_code.h"

#include <stdlib.h>

struct cbn_device_code *cbn_device_code_new(bool with_jit_log)
{
    struct cbn_device_code *code = calloc(1, sizeof(*code));
    if (code && with_jit_log) {
        code->jit_log = calloc(1, CBN_JIT_LOG_SIZE);
        if (!code->jit_log) {
            free(code);
            return NULL;
        }
    }
    if (code) {
        atomic_init(&code->users, 1);
    }
    return code;
}

struct cbn_device_code *cbn_device_code_share(struct cbn_device_code *code)
{
    atomic_fetch_add_explicit(&code->users, 1, memory_order_relaxed);
    return code;
}

cbn_cu_result cbn_device_code_release(const struct cbn_driver_table *cu, struct cbn_device_code *code)
{
    if (!code || atomic_fetch_sub_explicit(&code->users, 1, memory_order_acq_rel) > 1) {
        return CBN_CU_SUCCESS;
    }
    cbn_cu_result result = code->library ? cu->cuLibraryUnload(code->library) : CBN_CU_SUCCESS;
    free(code->jit_log);
    free(code);
    return result;
}
