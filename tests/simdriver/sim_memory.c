/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is allocated in a stream. Its addresses are a multiple of 256, and of nothing larger. */
#include "sim.h"

enum { UNIT = 256 };

CUdeviceptr sim_new_address(size_t bytes)
{
    sim.next_address += (bytes / (2 * UNIT) + 2) * 2 * UNIT;
    return (sim.next_address - bytes) / (2 * UNIT) * (2 * UNIT) - UNIT;
}

cbn_cu_result sim_cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream)
{
    struct CUctx_st *context = NULL;
    cbn_cu_result result = sim_need_context(&context);
    if (result != CBN_CU_SUCCESS || bytes == 0) {
        return result != CBN_CU_SUCCESS ? result : CBN_CU_INVALID_VALUE;
    }
    if (sim.memory.live == SIM_MAX_MEMORY || bytes > (size_t)1 << 40) {
        return CBN_CU_OUT_OF_MEMORY;
    }
    *address = sim_new_address(bytes);
    if (sim_capture_of(stream)) {
        return sim_capture_memory(sim_capture_of(stream), SIMDRIVER_NODE_ALLOCATION, *address, bytes);
    }
    sim.live_memory[sim.memory.live++] = *address;
    sim.memory.address = *address;
    sim.memory.bytes = bytes;
    sim.memory.stream = stream;
    sim.launches_before_memory = sim.calls[SIM_cuLaunchKernelEx];
    return CBN_CU_SUCCESS;
}

cbn_cu_result sim_cuMemFreeAsync(CUdeviceptr address, CUstream stream)
{
    struct CUctx_st *context = NULL;
    cbn_cu_result result = sim_need_context(&context);
    if (result != CBN_CU_SUCCESS) {
        return result;
    }
    if (sim_capture_of(stream)) {
        return sim_capture_memory(sim_capture_of(stream), SIMDRIVER_NODE_FREE, address, 0);
    }
    for (unsigned int i = 0; i < sim.memory.live; i++) {
        if (sim.live_memory[i] == address) {
            sim.live_memory[i] = sim.live_memory[--sim.memory.live];
            sim.memory.freed_in = stream;
            sim.memory.freed_too_soon |= sim.launches_before_memory == sim.calls[SIM_cuLaunchKernelEx];
            return CBN_CU_SUCCESS;
        }
    }
    return sim_misuse(CBN_CU_INVALID_VALUE, "memory that is not allocated is freed");
}

struct simdriver_memory simdriver_last_memory(void)
{
    sim_lock();
    struct simdriver_memory memory = sim.memory;
    sim_unlock();
    return memory;
}
