/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated driver's entry points, for tests that call them as an application calls libcuda. */
#ifndef SIMCUDA_H
#define SIMCUDA_H

#include "loader/driver/driver_table.h"

#define SIMCUDA_DECLARE(name, symbol, params, args, need, since) cbn_cu_result symbol params;
CBN_DRIVER_FUNCTIONS(SIMCUDA_DECLARE)
#undef SIMCUDA_DECLARE

#endif
