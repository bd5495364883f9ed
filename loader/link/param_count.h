/* SPDX-License-Identifier: Apache-2.0 */
/* How many parameters the kernels in code have. The driver does not tell before CUDA 13.2: asking it for one
 * parameter more gives an error, which compute-sanitizer and cuda-gdb report as one of the program's. */
#ifndef CBN_PARAM_COUNT_H
#define CBN_PARAM_COUNT_H

#include "loader/link/device_elf.h"

#include <stdint.h>

/* Called for each list of a kernel's parameters; the kernel's lowered name is not NUL-terminated. The numbers
 * of a kernel's lists, added up, are no less than the driver's number. Of code that compilers make, each
 * kernel has one list, and the numbers are equal. */
typedef void cbn_param_count_fn(void *user, const char *name, size_t size, uint32_t count);

/* Of a cubin. */
void cbn_param_counts_of_cubin(const struct cbn_elf *elf, cbn_param_count_fn *found, void *user);

/* Of PTX. */
void cbn_param_counts_of_ptx(const char *ptx, size_t size, cbn_param_count_fn *found, void *user);

#endif
