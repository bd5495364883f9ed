/* SPDX-License-Identifier: Apache-2.0 */
/* A device's clocks, from NVML if the machine has it. */
#ifndef CLOCKS_H
#define CLOCKS_H

#include <cubinet/driver.h>

#include <stdint.h>

struct clocks {
    uint32_t multiprocessors; /* MHz; 0: not known */
    uint32_t memory;
};

/* What they are at the moment. */
struct clocks clocks_now(const cubinet_driver *driver, CUdevice device);

#endif
