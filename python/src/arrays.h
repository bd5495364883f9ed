/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays on a device, of any library: their address and the type of their elements. */
#ifndef PY_ARRAYS_H
#define PY_ARRAYS_H

#include "loader.h"
#include "types.h"

struct py_array {
    uint64_t address;
    enum py_class element; /* PY_UNKNOWN: of no type that parameters are compared with */
    uint32_t element_size; /* bytes */
    CUdevice device;       /* the only one that is sure to reach it; -1: unknown, or any */
    const char *trouble;   /* of PY_FAILED: why no kernel can reach it; NULL if an exception says it */
};

enum py_found { PY_FAILED = -1, PY_NOT_FOUND = 0, PY_FOUND = 1 };

/*
 * Reads an array by DLPack's exchange functions, as a Buffer of cuda.core, by __cuda_array_interface__ or by
 * __dlpack__. It is borrowed:
 * nothing waits for what writes to it.
 *
 * @return PY_NOT_FOUND if the object has none of them; PY_FAILED for an array that no kernel can reach (in
 * the memory of the CPU), and for what the object raised
 */
enum py_found py_array_read(PyObject *object, struct py_array *out_array);

/* Makes the names that arrays are asked for. */
int py_array_start(void);

#endif
