/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernels have the instructions of programmatic dependent launches (griddepcontrol). What code shows is
 * all that there is: a kernel without the instruction does not wait. docs/internals/cubin.md says what is
 * looked for. */
#ifndef CBN_DEPENDENCY_H
#define CBN_DEPENDENCY_H

#include "loader/link/device_elf.h"

enum cbn_dependency {
    CBN_DEPENDENCY_WAITS = 1 << 0,    /* griddepcontrol.wait, cudaGridDependencySynchronize() */
    CBN_DEPENDENCY_TRIGGERS = 1 << 1, /* …launch_dependents, cudaTriggerProgrammaticLaunchCompletion() */
};

/* Called for each function that has some; its lowered name is not NUL-terminated. Returns whether it is a
 * kernel. With `name` of NULL: of every kernel, because functions that it may call have them. */
typedef bool cbn_dependency_fn(void *user, const char *name, size_t size, unsigned flags);

/* Architectures before this one have no such instructions. */
enum { CBN_DEPENDENCY_FIRST = 90 };

/* Of a cubin. */
void cbn_dependency_of_cubin(const struct cbn_elf *elf, int number, cbn_dependency_fn *found, void *user);

/* Of PTX. */
void cbn_dependency_of_ptx(const char *ptx, size_t size, cbn_dependency_fn *found, void *user);

#endif
