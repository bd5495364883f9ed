/* SPDX-License-Identifier: Apache-2.0 */
/* The entry points: each counts the call, plays the scripts, and does its work under the lock. */
#include "sim.h"
#include "sim_compute.h"

#include <string.h>

/* A driver has the functions of its release and older ones: SIM_IF_n(code) is the code if this variant is of
 * release n or later. One for each release that brought a function of the table. */
#define SIM_IF_2000(...)  __VA_ARGS__
#define SIM_IF_2020(...)  __VA_ARGS__
#define SIM_IF_4000(...)  __VA_ARGS__
#define SIM_IF_6000(...)  __VA_ARGS__
#define SIM_IF_7000(...)  __VA_ARGS__
#define SIM_IF_10000(...) __VA_ARGS__
#define SIM_IF_10010(...) __VA_ARGS__
#define SIM_IF_10020(...) __VA_ARGS__
#define SIM_IF_11000(...) __VA_ARGS__
#define SIM_IF_11020(...) __VA_ARGS__
#define SIM_IF_11040(...) __VA_ARGS__
#define SIM_IF_11070(...) __VA_ARGS__
#define SIM_IF_11080(...) __VA_ARGS__
#if SIM_RELEASE >= 12000
#define SIM_IF_12000(...) __VA_ARGS__
#else
#define SIM_IF_12000(...)
#endif
#if SIM_RELEASE >= 12030
#define SIM_IF_12030(...) __VA_ARGS__
#else
#define SIM_IF_12030(...)
#endif
#if SIM_RELEASE >= 12040
#define SIM_IF_12040(...) __VA_ARGS__
#else
#define SIM_IF_12040(...)
#endif

#define SIM_DEFINE(name, symbol, params, args)                                                               \
    SIMDRIVER_API cbn_cu_result symbol params;                                                               \
    cbn_cu_result symbol params                                                                              \
    {                                                                                                        \
        cbn_cu_result scripted = CBN_CU_SUCCESS;                                                             \
        cbn_cu_result result = CBN_CU_SUCCESS;                                                               \
        if (sim_enter(SIM_##name, &scripted)) {                                                              \
            result = sim_##name args;                                                                        \
        }                                                                                                    \
        sim_unlock();                                                                                        \
        return scripted != CBN_CU_SUCCESS ? scripted : result;                                               \
    }
#define SIM_ENTRY(name, symbol, params, args, need, since)                                                   \
    SIM_IF_##since(SIM_DEFINE(name, symbol, params, args))
CBN_DRIVER_FUNCTIONS(SIM_ENTRY)

/* Functions that Cubinet does not call, but programs that ask cubinet_driver_get_proc_address() for them: of
 * the Python package, which waits before it unloads. Nothing runs here, so there is nothing to wait for. */
SIMDRIVER_API cbn_cu_result cuCtxSynchronize(void);
cbn_cu_result cuCtxSynchronize(void)
{
    CUcontext current = NULL;
    cbn_cu_result result = cuCtxGetCurrent(&current);
    sim_lock();
    sim.waits++;
    result = result == CBN_CU_SUCCESS && !current ? CBN_CU_INVALID_CONTEXT : result;
    result = sim.wait_result != CBN_CU_SUCCESS ? sim.wait_result : result;
    sim_unlock();
    return result;
}

unsigned int simdriver_waits(void)
{
    sim_lock();
    unsigned int waits = sim.waits;
    sim_unlock();
    return waits;
}

void simdriver_fail_waits(unsigned int result)
{
    sim_lock();
    sim.wait_result = (cbn_cu_result)result;
    sim_unlock();
}

/* What cuGetProcAddress() finds. */
static const struct entry {
    const char *name;
    void (*function)(void);
    int since;
} entries[] = {
#define SIM_FIND(name, symbol, params, args, need, since)                                                    \
    SIM_IF_##since({#name, (void (*)(void))symbol, since}, )
    CBN_DRIVER_FUNCTIONS(SIM_FIND)
#undef SIM_FIND
        {"cuCtxSynchronize", (void (*)(void))cuCtxSynchronize, 2000},
};

cbn_cu_result sim_cuGetProcAddress(const char *name, void **function, int version, uint64_t flags,
                                   unsigned int *status)
{
    if (flags || version > sim.version) {
        return CBN_CU_INVALID_VALUE;
    }
    *function = NULL;
    *status = CBN_CU_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
        if (strcmp(entries[i].name, name) != 0) {
            continue;
        }
        if (entries[i].since > version) {
            *status = CBN_CU_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
            break;
        }
        memcpy(function, &entries[i].function, sizeof(*function));
        *status = CBN_CU_PROC_ADDRESS_SUCCESS;
    }
    if (*status == CBN_CU_PROC_ADDRESS_SYMBOL_NOT_FOUND && sim_compute_find(name, function)) {
        *status = CBN_CU_PROC_ADDRESS_SUCCESS;
    }
    return CBN_CU_SUCCESS;
}
