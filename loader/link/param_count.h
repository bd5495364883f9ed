/* SPDX-License-Identifier: Apache-2.0 */
/* How many parameters the kernels in code have. The driver does not tell before CUDA 13.2: asking it for one
 * parameter more gives an error, which compute-sanitizer and cuda-gdb report as one of the program's. */
#ifndef CBN_PARAM_COUNT_H
#define CBN_PARAM_COUNT_H

#include "loader/link/device_elf.h"

#include <stdint.h>

/* The kernels' lists of parameters. Names are only hashed, which takes a third of the time of looking for the
 * kernels: most are never launched. */
struct cbn_param_counts {
    struct cbn_param_count {
        uint32_t name; /* a hash */
        uint32_t params;
    } * rows;
    size_t count;
    size_t capacity;
};

/* Of a cubin. False if memory is out. */
bool cbn_param_counts_of_cubin(const struct cbn_elf *elf, struct cbn_param_counts *out_counts);

/* Of PTX. */
bool cbn_param_counts_of_ptx(const char *ptx, size_t size, struct cbn_param_counts *out_counts);

/* How many parameters a kernel has, by its lowered name: exactly, in code that compilers make; in any other,
 * at least as many as the driver will read. UINT32_MAX: unknown. */
uint32_t cbn_params_at_most(const struct cbn_param_counts *counts, const char *name);

void cbn_param_counts_free(struct cbn_param_counts *counts);

#endif
