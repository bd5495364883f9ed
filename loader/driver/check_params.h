/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing the parameters that an archive records of kernels with those that their code has: the driver
 * reads as many arguments as the code has parameters, and of each as many bytes. Archives with keys that are
 * trusted are believed. */
#ifndef CBN_CHECK_PARAMS_H
#define CBN_CHECK_PARAMS_H

#include "loader/driver/module.h"

#include <cubinet/launch.h>

/* Whether a module's kernels are compared with what the driver tells, so that their numbers are
 * needed (cbn_part.params). */
bool cbn_compares_params(const struct cubinet_module *module);

/* Before the first launch of a kernel, whose arguments fit its record: CUBINET_ERROR_DAMAGED unless its code,
 * as the driver tells it (since CUDA 12.4), has the same parameters. Where nothing is recorded every launch
 * is compared, and is CUBINET_ERROR_LAUNCH_ARGUMENTS. */
cubinet_status cbn_check_params(const cubinet_kernel *kernel, const cubinet_arg *args, size_t arg_count);

/* For a driver that does not tell, of a module whose cubin is about to be loaded: as the cubin has it. */
cubinet_status cbn_check_params_of_cubin(const struct cubinet_module *module, const void *code, size_t size);

#endif
