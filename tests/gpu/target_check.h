/* SPDX-License-Identifier: Apache-2.0 */
/* Launching the kernel of targets.cu and checking what it computed. The functions return the first CUresult
 * that is not a success, because a failure may be what a test is after. */
#ifndef TARGET_CHECK_H
#define TARGET_CHECK_H

#include "gpu_test.h"

#define TARGET_CHECK_KERNEL "target_check"

enum { TARGET_CHECK_COUNT = 10000, TARGET_CHECK_BLOCK = 128, TARGET_CHECK_FACTOR = 12345 };

/* Device memory for the kernel's output, in the current context, filled with what it must not leave. */
cbn_cu_result target_check_prepare(const struct gpu_calls *calls, CUdeviceptr *out_memory);

/* Waits for the kernel, compares, and frees the memory. */
cbn_cu_result target_check_finish(const struct gpu_calls *calls, CUdeviceptr memory, bool *out_right);

#endif
