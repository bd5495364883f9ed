/* SPDX-License-Identifier: Apache-2.0 */
/* The entry points: each counts the call, plays the scripts, and does its work under the lock. */
#include "sim.h"

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
#define SIM_OMIT(name, symbol, params, args)

/* A driver has the functions of its release and older ones. Here are the releases that brought one. */
#define SIM_SINCE_2000  SIM_DEFINE
#define SIM_SINCE_2020  SIM_DEFINE
#define SIM_SINCE_4000  SIM_DEFINE
#define SIM_SINCE_6000  SIM_DEFINE
#define SIM_SINCE_7000  SIM_DEFINE
#define SIM_SINCE_11000 SIM_DEFINE
#define SIM_SINCE_11080 SIM_DEFINE
#if SIM_RELEASE >= 12000
#define SIM_SINCE_12000 SIM_DEFINE
#else
#define SIM_SINCE_12000 SIM_OMIT
#endif
#if SIM_RELEASE >= 12040
#define SIM_SINCE_12040 SIM_DEFINE
#else
#define SIM_SINCE_12040 SIM_OMIT
#endif

#define SIM_ENTRY(name, symbol, params, args, need, since) SIM_SINCE_##since(name, symbol, params, args)
CBN_DRIVER_FUNCTIONS(SIM_ENTRY)
