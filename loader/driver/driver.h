/* SPDX-License-Identifier: Apache-2.0 */
/* An open driver and the devices of the machine. Nothing of it changes once it is open. */
#ifndef CBN_DRIVER_H
#define CBN_DRIVER_H

#include "loader/driver/driver_table.h"

#include <cubinet/driver.h>
#include <cubinet/occupancy.h>

#include <stdbool.h>
#include <stdint.h>

/* What selection and launches need to know of a device, read once. */
struct cbn_device {
    CUdevice handle;
    char name[96];
    int compute_major;
    int compute_minor;
    uint32_t max_threads_per_block;
    uint32_t max_block[3];
    uint32_t max_grid[3];
    uint32_t shared_bytes;       /* for each block, without opting in */
    uint32_t shared_optin_bytes; /* for each block of a kernel that opted in */
    bool cooperative;            /* cooperative launches */
    bool clusters;
    cubinet_device_limits limits; /* of its multiprocessors */
};

struct cubinet_driver {
    struct cbn_library library;
    struct cbn_driver_table cu;
    int version; /* 1000 × major + 10 × minor */
    int device_count;
    struct cbn_device *devices; /* by ordinal */
    bool forces_jit;            /* the environment has the driver refuse all machine code */
    cubinet_log_fn log;
    void *log_user;
    struct cbn_recorder *recorder; /* NULL: what is used is not recorded */
};

/* The device of that ordinal; CUBINET_ERROR_NO_DEVICE if there is none. */
cubinet_status cbn_driver_find_device(const cubinet_driver *driver, int ordinal,
                                      const struct cbn_device **out_device);

/* All of the profile but the version of nvJitLink, which has to be looked for. */
cubinet_device_profile cbn_device_profile(const cubinet_driver *driver, const struct cbn_device *device);

/* Reads a device; `ordinal` is its number among the driver's. */
cubinet_status cbn_device_read(const struct cbn_driver_table *cu, int ordinal, struct cbn_device *out_device);

/* Hands a line to the program's log, if it has one. Leaves the thread's last error alone. */
__attribute__((format(printf, 3, 4))) void cbn_driver_log(const cubinet_driver *driver,
                                                          cubinet_log_level level, const char *format, ...);

#endif
