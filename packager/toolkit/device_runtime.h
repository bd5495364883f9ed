/* SPDX-License-Identifier: Apache-2.0 */
/* The device runtime, libcudadevrt.a: what kernels that launch kernels call. It is linked into machine code;
 * PTX that calls it can't be loaded, since the driver does not link it. */
#ifndef DEVICE_RUNTIME_H
#define DEVICE_RUNTIME_H

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>

/* Whether a function of that name is one of the device runtime's. */
bool device_runtime_has(const char *function);

/* The first function of the device runtime that PTX calls, which the caller frees; NULL if it calls none (and
 * without memory). */
char *device_runtime_function(const char *ptx);

struct device_runtime {
    char *data; /* NULL: not read yet */
    size_t size;
};

/* Reads the library at `path`, once. `source` calls `function` of it; a NULL path is an error that says so.
 */
cubinet_status device_runtime_read(const char *path, const char *source, const char *function,
                                   struct device_runtime *runtime);

void device_runtime_free(struct device_runtime *runtime);

#endif
