/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that Python gives, as bytes of a parameter's type. */
#ifndef PY_SCALARS_H
#define PY_SCALARS_H

#include "loader.h"
#include "types.h"

/* A number of the host, whatever class it has in Python. */
struct py_number {
    enum py_class class; /* PY_SIGNED, PY_UNSIGNED or PY_FLOAT */
    uint32_t size;       /* bytes that it has; 0: any (a Python int or float) */
    union {
        int64_t i;
        uint64_t u;
        double f;
    };
};

/* Reads a Python int. False, with the exception set, if it does not fit 64 bits. */
bool py_number_of_int(PyObject *value, struct py_number *out_number);

/* Reads bytes that a format of the struct module describes, such as "<i". False if it is not a number. */
bool py_number_of_bytes(const char *format, const void *bytes, size_t size, struct py_number *out_number);

/*
 * Writes a number as one of the type `class` with `size` bytes.
 *
 * @return NULL, or why it can't be had: "which is out of range", …
 */
const char *py_number_write(const struct py_number *number, enum py_class class, uint32_t size, void *bytes);

#endif
