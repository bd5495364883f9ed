/* SPDX-License-Identifier: Apache-2.0 */
/* Launches: the one call that has to be fast. */
#ifndef PY_LAUNCH_H
#define PY_LAUNCH_H

#include "loader.h"

extern const char py_launch_doc[];

/* Kernel.launch(), by METH_FASTCALL | METH_KEYWORDS. */
PyObject *py_launch(PyObject *kernel, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords);

#endif
