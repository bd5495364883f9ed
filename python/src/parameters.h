/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel's parameters as arguments are written for them: sizes, and the types that the archive tells. */
#ifndef PY_PARAMETERS_H
#define PY_PARAMETERS_H

#include "loader.h"
#include "types.h"

struct py_parameter {
    uint32_t size;   /* bytes */
    uint32_t offset; /* bytes, in the parameter buffer */
    struct py_type type;
    bool is_hidden; /* the launch record supplies it */
    char *name;     /* "" if it is not known */
    char *text;     /* the type as C++ writes it, "" if it is not known */
};

struct py_parameters {
    bool is_known;        /* false: the kernel tells no parameters (Tile IR) */
    uint32_t count;       /* hidden ones too */
    uint32_t shown_count; /* those that callers give */
    size_t bytes;         /* that py_pack_all() needs for them */
    struct py_parameter *all;
    const struct py_parameter **shown; /* those that callers give */
};

/* NULL, with the exception set, if there is no memory or the library fails. */
struct py_parameters *py_parameters_new(const cubinet_kernel *kernel);
void py_parameters_free(struct py_parameters *parameters);

/* A tuple of (name, type, offset, size, is hidden); None if they are not known. */
PyObject *py_parameters_describe(const struct py_parameters *parameters);

#endif
