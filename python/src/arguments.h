/* SPDX-License-Identifier: Apache-2.0 */
/* What Python gives for a kernel's parameters, as bytes. */
#ifndef PY_ARGUMENTS_H
#define PY_ARGUMENTS_H

#include "loader.h"
#include "parameters.h"

/* Bytes that one argument of so many takes in the memory of py_pack_all(). */
static inline size_t py_pack_room(size_t size)
{
    return (size + 15) / 16 * 16;
}

/* Room for the arguments of kernels that tell no parameters: the largest parameter buffer of any GPU. */
enum { PY_PACK_UNKNOWN = 32768 };

/*
 * Writes arguments for a kernel: one for each parameter that is not hidden, or for each at all.
 *
 * @param values a tuple
 * @param memory `kernel->parameters->bytes` of them, aligned to 16 bytes; PY_PACK_UNKNOWN where they are not
 * known
 * @param args as many as there are values
 * @return false, with the exception set: TypeError and ValueError's likes, which name the parameter
 */
bool py_pack_all(const struct py_kernel *kernel, PyObject *values, unsigned char *memory, cubinet_arg *args);

#endif
