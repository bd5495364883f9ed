/* SPDX-License-Identifier: Apache-2.0 */
/* Types of C++ as far as arguments are compared with them. */
#ifndef PY_TYPES_H
#define PY_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum py_class {
    PY_UNKNOWN, /* a class, or a type that is not recorded */
    PY_SIGNED,
    PY_UNSIGNED,
    PY_FLOAT,  /* float and double; __half with 2 bytes */
    PY_BFLOAT, /* __nv_bfloat16 */
    PY_BOOL,
    PY_POINTER,
};

struct py_type {
    enum py_class class;
    uint32_t size; /* bytes; 0 of PY_UNKNOWN */
    /* Of a pointer, what it points to; PY_UNKNOWN for void and classes, PY_POINTER for pointers. */
    enum py_class element;
    uint32_t element_size;
};

/* A type as C++ or c++filt writes it: "const float *", "unsigned int", "float const*". */
struct py_type py_type_read(const char *text, size_t size);

/* Where the parameter that starts at `text` ends, in c++filt's list of them: at a ',' or ')' that is outside
 * of brackets, or at the end. */
const char *py_type_end(const char *text);

/* How a number's type is called in messages, such as "float32". */
const char *py_class_name(enum py_class class, uint32_t size);

#endif
