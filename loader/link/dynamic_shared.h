/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernels use shared memory whose size is given when they are launched (`extern __shared__`), as far as
 * code shows it. docs/internals/cubin.md says what does. */
#ifndef CBN_DYNAMIC_SHARED_H
#define CBN_DYNAMIC_SHARED_H

#include "loader/link/device_elf.h"

/* Called for each kernel that surely uses some; its lowered name is not NUL-terminated. */
typedef void cbn_dynamic_shared_fn(void *user, const char *name, size_t size);

/* Of a cubin: kernels that have no other shared memory, and instructions that access some. */
void cbn_dynamic_shared_of_cubin(const struct cbn_elf *elf, int number, cbn_dynamic_shared_fn *found,
                                 void *user);

/* Of PTX: kernels that name a variable of dynamic shared memory, or a function before them that does. Fails
 * only if memory is out. */
cubinet_status cbn_dynamic_shared_of_ptx(const char *ptx, size_t size, cbn_dynamic_shared_fn *found,
                                         void *user);

#endif
