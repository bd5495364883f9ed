/* SPDX-License-Identifier: Apache-2.0 */
/* The GPUs of this machine. */
#ifndef DEVICES_H
#define DEVICES_H

#include <cubinet/status.h>

#include <stddef.h>
#include <stdint.h>

struct tune_device {
    int number; /* the driver's */
    char name[96];
    uint32_t compute;
    uint32_t multiprocessors;
    uint32_t group; /* the first of `items` that is of the same kind: they share the work */
};

enum { MOST_DEVICES = 64 };

struct tune_devices {
    struct tune_device items[MOST_DEVICES];
    size_t count;
};

/* Finds all, or the one of that number (negative: all). The driver is opened by another process: this one
 * never uses it. */
cubinet_status devices_find(int number, struct tune_devices *out_devices);

#endif
