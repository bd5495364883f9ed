/* SPDX-License-Identifier: Apache-2.0 */
/* The devices that a user asks about. */
#ifndef EXPLAIN_DEVICES_H
#define EXPLAIN_DEVICES_H

#include "show/explain.h"

struct explain_devices {
    struct explain_device *devices;
    size_t count;
};

/* Adds what `--device` was given: "all", or a word that gpu_find() knows. */
cubinet_status explain_devices_add(struct explain_devices *devices, const char *word);

/* Adds the GPUs of this machine, as its driver tells them. */
cubinet_status explain_devices_add_machine(struct explain_devices *devices);

void explain_devices_free(struct explain_devices *devices);

#endif
