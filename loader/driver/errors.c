/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/errors.h"

#include "loader/core/support/error.h"

#include <stdio.h>
#include <stdlib.h>

/* Results that are more than CUBINET_ERROR_DRIVER, or that are worth a word of advice.
 *
 * CONTEXT_DEAD are those of which <cuda.h> says that they leave the process or the context in a state in
 * which all further work fails with the same error. */
static const struct meaning {
    cbn_cu_result result;
    cubinet_status status;
    const char *name; /* for a driver that can't be asked for it */
    const char *advice;
} meanings[] = {
    {CBN_CU_OUT_OF_MEMORY, CUBINET_ERROR_DEVICE_MEMORY, NULL, NULL},
    {CBN_CU_NOT_INITIALIZED, CUBINET_ERROR_DRIVER, NULL,
     "a child process cannot use the driver that its parent initialised before fork()"},
    {CBN_CU_STUB_LIBRARY, CUBINET_ERROR_NO_DRIVER, "CUDA_ERROR_STUB_LIBRARY",
     "this libcuda is a CUDA toolkit's stub for linking, not a driver; take its folder out of "
     "LD_LIBRARY_PATH"},
    {CBN_CU_DEVICE_UNAVAILABLE, CUBINET_ERROR_DRIVER, NULL,
     "another process may be using the device exclusively"},
    {CBN_CU_NO_DEVICE, CUBINET_ERROR_NO_DEVICE, NULL, NULL},
    {CBN_CU_INVALID_DEVICE, CUBINET_ERROR_NO_DEVICE, NULL, NULL},
    {CBN_CU_ECC_UNCORRECTABLE, CUBINET_ERROR_CONTEXT_DEAD, NULL, NULL},
    {CBN_CU_NVLINK_UNCORRECTABLE, CUBINET_ERROR_CONTEXT_DEAD, NULL, NULL},
    {CBN_CU_CONTAINED, CUBINET_ERROR_CONTEXT_DEAD, NULL, NULL},
    {CBN_CU_INVALID_HANDLE, CUBINET_ERROR_DRIVER, NULL,
     "the stream may be of another context, or cudaDeviceReset() was called after the module was loaded"},
    {CBN_CU_ILLEGAL_ADDRESS, CUBINET_ERROR_CONTEXT_DEAD, NULL, NULL},
    {CBN_CU_LAUNCH_OUT_OF_RESOURCES, CUBINET_ERROR_LIMIT, NULL, NULL},
    {CBN_CU_LAUNCH_TIMEOUT, CUBINET_ERROR_CONTEXT_DEAD, NULL, NULL},
    {CBN_CU_CONTEXT_IS_DESTROYED, CUBINET_ERROR_CONTEXT_DEAD, NULL,
     "after cudaDeviceReset() or cuCtxDestroy(), make another context current and load modules again"},
    {CBN_CU_ASSERT, CUBINET_ERROR_CONTEXT_DEAD, NULL, NULL},
    {CBN_CU_HARDWARE_STACK_ERROR, CUBINET_ERROR_CONTEXT_DEAD, NULL, NULL},
    {CBN_CU_ILLEGAL_INSTRUCTION, CUBINET_ERROR_CONTEXT_DEAD, NULL, NULL},
    {CBN_CU_MISALIGNED_ADDRESS, CUBINET_ERROR_CONTEXT_DEAD, NULL, NULL},
    {CBN_CU_INVALID_ADDRESS_SPACE, CUBINET_ERROR_CONTEXT_DEAD, NULL, NULL},
    {CBN_CU_INVALID_PC, CUBINET_ERROR_CONTEXT_DEAD, NULL, NULL},
    {CBN_CU_LAUNCH_FAILED, CUBINET_ERROR_CONTEXT_DEAD, NULL, NULL},
    {CBN_CU_COOPERATIVE_LAUNCH_TOO_LARGE, CUBINET_ERROR_LIMIT, NULL,
     "the blocks of a cooperative launch must all be resident at the same time"},
    {CBN_CU_TENSOR_MEMORY_LEAK, CUBINET_ERROR_CONTEXT_DEAD, NULL, NULL},
    {CBN_CU_SYSTEM_DRIVER_MISMATCH, CUBINET_ERROR_DRIVER, NULL,
     "libcuda and the kernel module are of different releases; reboot after a driver update"},
    {CBN_CU_MPS_CLIENT_TERMINATED, CUBINET_ERROR_CONTEXT_DEAD, NULL, NULL},
    {CBN_CU_INVALID_CLUSTER_SIZE, CUBINET_ERROR_LIMIT, NULL, NULL},
};

static const struct meaning *find_meaning(cbn_cu_result result)
{
    for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
        if (meanings[i].result == result) {
            return &meanings[i];
        }
    }
    return NULL;
}

cubinet_status cbn_result_status(cbn_cu_result result)
{
    if (result == CBN_CU_SUCCESS) {
        return CUBINET_OK;
    }
    const struct meaning *meaning = find_meaning(result);
    return meaning ? meaning->status : CUBINET_ERROR_DRIVER;
}

struct cbn_result_text cbn_result_describe(const struct cbn_driver_table *cu, cbn_cu_result result)
{
    const struct meaning *meaning = find_meaning(result);
    const char *advice = meaning ? meaning->advice : NULL;
    /* The driver leaves both alone, or sets them to NULL, when it does not know the result. */
    const char *name = NULL;
    const char *explanation = NULL;
    cu->cuGetErrorName(result, &name);
    cu->cuGetErrorString(result, &explanation);
    if (!name) {
        name = meaning && meaning->name ? meaning->name : "unknown CUDA error";
    }
    struct cbn_result_text out;
    snprintf(out.text, sizeof(out.text), "%s (%u)%s%s%s%s", name, result, explanation ? ": " : "",
             explanation ? explanation : "", advice ? "; " : "", advice ? advice : "");
    return out;
}

cubinet_status cbn_driver_failed(const struct cbn_driver_table *cu, cbn_cu_result result, const char *call,
                                 ...)
{
    struct cbn_result_text words = cbn_result_describe(cu, result);
    cubinet_status status = cbn_result_status(result);
    char what[256];
    va_list args;
    va_start(args, call);
    vsnprintf(what, sizeof(what), call, args);
    va_end(args);
    return cbn_error_driver(status, (int)result, "%s failed: %s", what, words.text);
}
