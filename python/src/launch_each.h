/* SPDX-License-Identifier: Apache-2.0 */
/* One launch of several kernels. */
#ifndef PY_LAUNCH_EACH_H
#define PY_LAUNCH_EACH_H

#include "loader.h"

extern const char py_launch_each_doc[];

/* cubinet.launch_each(), by METH_FASTCALL | METH_KEYWORDS. */
PyObject *py_launch_each(PyObject *extension, PyObject *const *arguments, Py_ssize_t count,
                         PyObject *keywords);

#endif
