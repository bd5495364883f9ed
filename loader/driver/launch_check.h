/* SPDX-License-Identifier: Apache-2.0 */
/* Checking a launch against the kernel's record and the device's limits before the driver sees it: the driver
 * says "invalid argument" to most mistakes, and reads arbitrary memory for a missing kernel argument. */
#ifndef CBN_LAUNCH_CHECK_H
#define CBN_LAUNCH_CHECK_H

#include "loader/driver/module.h"

#include <cubinet/launch.h>

/* A launch with its defaults filled in. */
struct cbn_launch {
    uint32_t grid[3]; /* at least 1 each, and multiplied as the launch record says */
    uint32_t block[3];
    uint32_t cluster[3]; /* the kernel's own where it has one; all 0: none */
    uint32_t dynamic_shared_bytes;
    bool cooperative;
    bool programmatic;
    CUstream stream;
    const cubinet_launch_attributes *more; /* NULL: none */
};

/* The most threads that a block of the kernel may have, and why. */
uint64_t cbn_launch_thread_limit(const cubinet_kernel *kernel, const char **out_reason);

/* Blocks in a cluster; 0 for a launch without clusters. */
uint64_t cbn_launch_cluster_blocks(const struct cbn_launch *launch);

/* CUBINET_ERROR_LIMIT if the device has no clusters. */
cubinet_status cbn_launch_need_clusters(const cubinet_kernel *kernel);

/* CUBINET_ERROR_LAUNCH_ARGUMENTS unless there are as many arguments as the kernel has parameters, if that is
 * known. */
cubinet_status cbn_launch_check_count(const cubinet_kernel *kernel, const cubinet_arg *args,
                                      size_t arg_count);

/* CUBINET_ERROR_LAUNCH_ARGUMENTS unless the arguments have the count and the sizes of the kernel's
 * parameters. */
cubinet_status cbn_launch_check_args(const cubinet_kernel *kernel, const cubinet_arg *args, size_t arg_count);

/* Whether the kernel's code shows that it uses dynamic shared memory. */
bool cbn_launch_needs_shared(const cubinet_kernel *kernel);

/* CUBINET_LAUNCH_NO_DYNAMIC_SHARED if a launch without dynamic shared memory has to say so: it would be
 * refused otherwise, or take the bytes of the launch record. 0 if not. */
uint32_t cbn_launch_none_flag(const cubinet_kernel *kernel);

/* CUBINET_ERROR_INVALID_ARGUMENT: how much is missing. `without`: how the caller says that none is meant. */
cubinet_status cbn_launch_refuse_shared(const cubinet_kernel *kernel, const char *without);

/* CUBINET_ERROR_INVALID_ARGUMENT if a launch would end the context, because its kernel has no shared memory
 * where it uses some. */
cubinet_status cbn_launch_check_shared(const cubinet_kernel *kernel, const cubinet_launch_config *config);

/* Reads a caller's configuration, and fills in from the launch record what it leaves out. */
cubinet_status cbn_launch_read_config(const cubinet_kernel *kernel, const cubinet_launch_config *given,
                                      cubinet_launch_config *out_known);

/* CUBINET_ERROR_LIMIT if the configuration is beyond what the kernel or the device allows, shared memory left
 * aside. */
cubinet_status cbn_launch_check_config(const cubinet_kernel *kernel, const cubinet_launch_config *config,
                                       struct cbn_launch *out_launch);

#endif
